/** The audit log: who did what, to whom, when and why. */
import { IconHistory, IconSearchOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { useState } from 'react';
import { DataTable } from '../../app/components/data-table.tsx';
import { EmptyState } from '../../app/components/empty-state.tsx';
import { PageHeader } from '../../app/components/page-header.tsx';
import { Pager } from '../../app/components/pager.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { present } from '../../app/router/search.ts';
import { auditColumns } from './audit-columns.tsx';
import { AuditFilters } from './audit-filters.tsx';
import { auditTexts } from './audit-texts.ts';
import { EntryDialog } from './entry-dialog.tsx';
import { type AuditEntry, type AuditSearch, auditQuery } from './queries.ts';

const pollingMs = 30_000;

export const auditRoute = createLazyRoute('/user/operator/operator/audit')({ component: AuditPage });

function AuditPage() {
  const t = useTexts(auditTexts);
  const search = auditRoute.useSearch();
  const navigate = auditRoute.useNavigate();
  const [shown, setShown] = useState<AuditEntry>();
  const { cursor, ...filters } = search;
  const query = useQuery({ ...auditQuery(search), refetchInterval: cursor === undefined ? pollingMs : false });
  const filter = (changed: { readonly [Name in keyof AuditSearch]: AuditSearch[Name] | undefined }) =>
    void navigate({ search: present({ ...filters, ...changed }) });
  const findActor = (actor: string | undefined) =>
    void navigate({ search: present({ ...filters, actor }), replace: true });
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <>
      <PageHeader title={t('title')} description={t('description')} />
      <AuditFilters
        filters={filters}
        onFilter={filter}
        onActor={findActor}
        {...(isFiltered && { onClear: () => void navigate({ search: {} }) })}
      />
      <DataTable
        label={t('title')}
        columns={auditColumns(t, setShown)}
        rows={query.data?.rows}
        rowKey={({ id }) => id}
        query={query}
        empty={
          isFiltered ? (
            <EmptyState icon={IconSearchOff} title={t('nothingFound')} text={t('nothingFoundText')} />
          ) : (
            <EmptyState icon={IconHistory} title={t('emptyTitle')} text={t('emptyText')} />
          )
        }
        pager={<Pager cursor={cursor} nextCursor={query.data?.nextCursor} />}
      />
      <EntryDialog entry={shown} onClose={() => setShown(undefined)} />
    </>
  );
}
