/** Who did what in the organization, newest first. */
import { Button, Group, Select, Text } from '@mantine/core';
import { IconHistory, IconSearchOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { CsvButton } from '../../app/components/csv-button.tsx';
import { DataTable } from '../../app/components/data-table.tsx';
import { EmptyState } from '../../app/components/empty-state.tsx';
import { RangeField } from '../../app/components/fields/range-field.tsx';
import { Pager } from '../../app/components/pager.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { usePolling } from '../../app/live/live.ts';
import { choiceOf, present, rangeOf } from '../../app/router/search.ts';
import { textKeyOf } from '../../operator/audit/audit-actions.ts';
import { auditTexts } from '../../operator/audit/audit-texts.ts';
import { EntryDialog } from '../../operator/audit/entry-dialog.tsx';
import type { AuditEntry } from '../../operator/audit/queries.ts';
import { organizationTexts } from '../organization-texts.ts';
import { auditLogColumns } from './audit-log-columns.tsx';
import { auditLogTexts } from './audit-log-texts.ts';
import { auditLogFile, auditLogQuery, organizationActions } from './queries.ts';
import { useEntryInWords } from './use-entry-in-words.ts';

const route = getRouteApi('/user/organization');
const pollingMs = 30_000;

export function AuditLogTab() {
  const t = useTexts(auditTexts);
  const own = useTexts(auditLogTexts);
  const organization = useTexts(organizationTexts);
  const { tab: _tab, cursor, ...filter } = route.useSearch();
  const [shown, setShown] = useState<AuditEntry>();
  const query = useQuery({
    ...auditLogQuery({ ...filter, ...(cursor !== undefined && { cursor }) }),
    refetchInterval: usePolling(pollingMs),
  });
  const { entries, nextCursor } = query.data ?? {};
  const inWords = useEntryInWords();
  const rows = useMemo(() => entries?.map(inWords), [entries, inWords]);
  const columns = useMemo(() => auditLogColumns(t, setShown), [t]);
  return (
    <div className="row-links">
      <Group justify="space-between" align="flex-start" mb="md">
        <Text size="sm" c="dimmed" maw={560} flex="1 1 240px">
          {own('description')}
        </Text>
        <CsvButton fileName="audit-log.csv" path={auditLogFile(filter)} />
      </Group>
      <Filters />
      <DataTable
        label={organization('audit')}
        columns={columns}
        rows={rows}
        rowKey={keyOf}
        query={query}
        empty={<NoEntries isFiltered={Object.keys(filter).length > 0} />}
        pager={cursor === undefined && !nextCursor ? undefined : <Pager cursor={cursor} nextCursor={nextCursor} />}
      />
      <EntryDialog entry={shown} onClose={() => setShown(undefined)} />
    </div>
  );
}

const keyOf = ({ id }: AuditEntry) => id;

function Filters() {
  const t = useTexts(auditTexts);
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (changed: object) =>
    void navigate({ search: present({ ...search, cursor: undefined, ...changed }), resetScroll: false });
  const labelOf = (action: string) => {
    const key = textKeyOf(action);
    return key === undefined ? action : t(key);
  };
  return (
    <div className="filters">
      <RangeField
        value={rangeOf(search)}
        onChange={(days) => change({ from: days?.from, to: days?.to })}
        placeholder={t('allTime')}
      />
      <Select
        label={t('action')}
        placeholder={t('anyAction')}
        data={organizationActions.map((value) => ({ value, label: labelOf(value) }))}
        value={search.action ?? null}
        onChange={(value) => change({ action: choiceOf({ value }, 'value', organizationActions) })}
        searchable
        clearable
      />
    </div>
  );
}

function NoEntries({ isFiltered }: { isFiltered: boolean }) {
  const t = useTexts(auditTexts);
  const own = useTexts(auditLogTexts);
  const navigate = route.useNavigate();
  if (!isFiltered) return <EmptyState icon={IconHistory} title={t('emptyTitle')} text={own('emptyText')} />;
  return (
    <EmptyState
      icon={IconSearchOff}
      title={t('nothingFound')}
      text={own('nothingFoundText')}
      action={
        <Button variant="default" onClick={() => void navigate({ search: { tab: 'audit' } })}>
          {t('clear')}
        </Button>
      }
    />
  );
}
