/** The filters of the list: its period, model, key, project, member, and a value of a dimension. All of them are in the address. */
import { CloseButton, Group, Select, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { RangeField } from '../app/components/fields/range-field.tsx';
import { useLanguage, useTexts } from '../app/i18n/use-texts.ts';
import { present, rangeOf } from '../app/router/search.ts';
import { useMay } from '../app/session/permissions.ts';
import { formatInstant } from '../app/time/format-time.ts';
import { keysQuery, modelIdsQuery } from '../keys/queries.ts';
import { useDimensions } from '../organization/dimensions/use-dimensions.ts';
import { useMembers } from '../organization/members/use-members.ts';
import { useProjects } from '../organization/projects/use-projects.ts';
import { nameOfGroup } from '../usage/usage-groups.ts';
import { usageTexts } from '../usage/usage-texts.ts';
import { activityTexts } from './activity-texts.ts';
import { usageOfFilterQuery } from './queries.ts';

const route = getRouteApi('/user/activity');

type Change = (changed: object) => void;

export function ActivityFilters() {
  const t = useTexts(activityTexts);
  const search = route.useSearch();
  const { hour, model } = search;
  const navigate = route.useNavigate();
  const change: Change = (changed) =>
    void navigate({ search: present({ ...search, cursor: undefined, ...changed }), resetScroll: false });
  const models = useQuery(modelIdsQuery);
  return (
    <div className="filters activity-filters">
      {hour === undefined ? (
        <RangeField
          value={rangeOf(search)}
          onChange={(days) => change({ from: days?.from, to: days?.to })}
          placeholder={t('allTime')}
        />
      ) : (
        <HourFilter hour={hour} onClear={() => change({ hour: undefined })} />
      )}
      <Select
        label={t('model')}
        placeholder={t('allModels')}
        data={withValue(models.data ?? [], model)}
        value={model ?? null}
        onChange={(value) => change({ model: value ?? undefined })}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': t('clearModel') }}
      />
      <KeyFilter change={change} />
      <ProjectFilter change={change} />
      <MemberFilter change={change} />
      <DimensionFilter change={change} />
    </div>
  );
}

/** A model that is no longer offered can still be chosen, as it is in the address. */
function withValue(options: readonly string[], value: string | undefined): string[] {
  return value === undefined || options.includes(value) ? [...options] : [...options, value];
}

function KeyFilter({ change }: { change: Change }) {
  const t = useTexts(activityTexts);
  const { key } = route.useSearch();
  const keys = useQuery({ ...keysQuery('proxy'), enabled: useMay('keys:read') });
  return (
    <IdFilter
      label={t('key')}
      placeholder={t('allKeys')}
      clearLabel={t('clearKey')}
      isOffered={useMay('keys:read')}
      options={keys.data ?? []}
      value={key}
      // Deleted keys and those of playgrounds are on no list.
      unlisted={t('unknownKey', { id: key ?? 0 })}
      onChange={(id) => change({ key: id })}
    />
  );
}

function ProjectFilter({ change }: { change: Change }) {
  const t = useTexts(activityTexts);
  const { project } = route.useSearch();
  const projects = useProjects();
  return (
    <IdFilter
      label={t('project')}
      placeholder={t('allProjects')}
      clearLabel={t('clearProject')}
      isOffered={projects.length > 0}
      options={projects}
      value={project}
      unlisted={t('unknownProject', { id: project ?? 0 })}
      onChange={(id) => change({ project: id })}
    />
  );
}

function MemberFilter({ change }: { change: Change }) {
  const t = useTexts(activityTexts);
  const { cursor: _cursor, request: _request, ...filter } = route.useSearch();
  const { member } = filter;
  const members = useMembers();
  // Former members are on no list, and not everyone may see it; the usage names them.
  const usage = useQuery({ ...usageOfFilterQuery(filter), enabled: member !== undefined });
  const email = usage.data?.usage.find(({ memberId }) => memberId === member)?.memberEmail;
  return (
    <IdFilter
      label={t('member')}
      placeholder={t('allMembers')}
      clearLabel={t('clearMember')}
      isOffered={members.length > 1}
      options={members.map(({ id, email: name }) => ({ id, name }))}
      value={member}
      unlisted={email ?? t('unknownMember', { id: member ?? 0 })}
      onChange={(id) => change({ member: id })}
    />
  );
}

function DimensionFilter({ change }: { change: Change }) {
  const t = useTexts(activityTexts);
  const usage = useTexts(usageTexts);
  const { dimension, value } = route.useSearch();
  const dimensions = useDimensions();
  if (dimensions.length === 0 && dimension === undefined) return null;
  const all = dimension === undefined || dimensions.includes(dimension) ? dimensions : [...dimensions, dimension];
  return (
    <>
      <Select
        label={t('dimension')}
        placeholder={t('allRequests')}
        data={all.map((each) => ({ value: each, label: nameOfGroup(each, usage) }))}
        value={dimension ?? null}
        onChange={(chosen) => change({ dimension: chosen ?? undefined, value: undefined })}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': t('clearDimension') }}
      />
      {dimension === undefined ? null : (
        <ValueFilter
          // What was typed is of this dimension.
          key={`${dimension} ${value}`}
          value={value}
          onChange={(text) => change({ value: text })}
        />
      )}
    </>
  );
}

/** Applied when it is left, or with Enter; empty for requests without a value. */
function ValueFilter({ value, onChange }: { value: string | undefined; onChange: (text: string | undefined) => void }) {
  const t = useTexts(activityTexts);
  const apply = (text: string) => {
    if (text !== (value ?? '')) onChange(text === '' ? undefined : text);
  };
  return (
    <TextInput
      label={t('value')}
      placeholder={t('noValue')}
      defaultValue={value ?? ''}
      maxLength={64}
      onBlur={(event) => apply(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') apply(event.currentTarget.value);
      }}
    />
  );
}

interface IdFilterProps {
  readonly label: string;
  readonly placeholder: string;
  readonly clearLabel: string;
  /** Without it, one that comes from the address is shown all the same. */
  readonly isOffered: boolean;
  readonly options: readonly { readonly id: number; readonly name: string }[];
  readonly value: number | undefined;
  /** What the value is called that is not among the options. */
  readonly unlisted: string;
  readonly onChange: (id: number | undefined) => void;
}

function IdFilter({ label, placeholder, clearLabel, isOffered, options, value, unlisted, onChange }: IdFilterProps) {
  if (!isOffered && value === undefined) return null;
  const isListed = value === undefined || options.some(({ id }) => id === value);
  const all = isListed ? options : [...options, { id: value, name: unlisted }];
  return (
    <Select
      label={label}
      placeholder={placeholder}
      data={all.map(({ id, name }) => ({ value: String(id), label: name }))}
      value={value === undefined ? null : String(value)}
      onChange={(id) => onChange(id === null ? undefined : Number(id))}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': clearLabel }}
    />
  );
}

function HourFilter({ hour, onClear }: { hour: string; onClear: () => void }) {
  const t = useTexts(activityTexts);
  const language = useLanguage();
  return (
    <Group gap="xs" wrap="nowrap" h={36} className="filters-grow">
      <Text size="sm" fw={500}>
        {t('hour', { time: formatInstant(hour, language) })}
      </Text>
      <CloseButton aria-label={t('clearHour')} onClick={onClear} />
    </Group>
  );
}
