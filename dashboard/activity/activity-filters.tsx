/** The filters of the list: its period, model and key. All of them are in the address. */
import { CloseButton, Group, Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { RangeField } from '../app/components/fields/range-field.tsx';
import { useLanguage, useTexts } from '../app/i18n/use-texts.ts';
import { present, rangeOf } from '../app/router/search.ts';
import { useMay } from '../app/session/permissions.ts';
import { formatInstant } from '../app/time/format-time.ts';
import { keysQuery, modelIdsQuery } from '../keys/queries.ts';
import { activityTexts } from './activity-texts.ts';

const route = getRouteApi('/user/activity');

export function ActivityFilters() {
  const t = useTexts(activityTexts);
  const search = route.useSearch();
  const { hour, model, key } = search;
  const navigate = route.useNavigate();
  const change = (changed: object) =>
    void navigate({ search: present({ ...search, cursor: undefined, ...changed }), resetScroll: false });
  const models = useQuery(modelIdsQuery);
  const seesKeys = useMay('keys:read');
  const keys = useQuery({ ...keysQuery('proxy'), enabled: seesKeys });
  const keyOptions = (keys.data ?? []).map(({ id, name }) => ({ value: String(id), label: name }));
  return (
    <div className="filters">
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
      {/* Without the list of keys, one can still come from the address. */}
      {seesKeys || key !== undefined ? (
        <Select
          label={t('key')}
          placeholder={t('allKeys')}
          data={withKey(keyOptions, key, t('unknownKey', { id: key ?? 0 }))}
          value={key === undefined ? null : String(key)}
          onChange={(value) => change({ key: value === null ? undefined : Number(value) })}
          searchable
          clearable
          clearButtonProps={{ 'aria-label': t('clearKey') }}
        />
      ) : null}
    </div>
  );
}

/** A model that is no longer offered can still be chosen, as it is in the address. */
function withValue(options: readonly string[], value: string | undefined): string[] {
  return value === undefined || options.includes(value) ? [...options] : [...options, value];
}

type Option = { value: string; label: string };

/** Deleted keys and those of playgrounds are on no list. */
function withKey(options: Option[], key: number | undefined, label: string): Option[] {
  const isKnown = key === undefined || options.some(({ value }) => value === String(key));
  return isKnown ? options : [...options, { value: String(key), label }];
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
