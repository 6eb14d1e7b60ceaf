/** One entry of the audit log with everything that was recorded, and what has changed by it. */
import { Stack, Text, Title } from '@mantine/core';
import { type Column, DataTable, loadedQuery } from '../../app/components/data-table.tsx';
import { Dialog } from '../../app/components/dialogs/dialog.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { Instant } from '../../app/time/instant.tsx';
import { Facts } from '../facts.tsx';
import { ActionName, Subject } from './audit-columns.tsx';
import { auditTexts } from './audit-texts.ts';
import { type Change, changesOf } from './changes-of.ts';
import type { AuditEntry } from './queries.ts';

export function EntryDialog({ entry, onClose }: { entry: AuditEntry | undefined; onClose: () => void }) {
  const t = useTexts(auditTexts);
  return (
    <Dialog opened={entry !== undefined} onClose={onClose} title={t('entryTitle')} size="lg">
      {entry === undefined ? null : <Entry entry={entry} />}
    </Dialog>
  );
}

function Entry({ entry }: { entry: AuditEntry }) {
  const t = useTexts(auditTexts);
  const { at, actor, action, reason, address, requestId } = entry;
  const changes = changesOf(entry);
  return (
    <Stack className="operator-small">
      <Facts
        facts={[
          { label: t('at'), value: <Instant value={at} /> },
          { label: t('who'), value: actor },
          { label: t('action'), value: <ActionName action={action} t={t} /> },
          { label: t('subject'), value: <Subject entry={entry} t={t} /> },
          { label: t('reason'), value: reason ?? '—' },
          { label: t('address'), value: address ?? '—' },
          { label: t('requestId'), value: <span className="operator-wrap">{requestId ?? '—'}</span> },
        ]}
      />
      <Title order={3} size="h5">
        {t('changes')}
      </Title>
      <DataTable
        label={t('changes')}
        columns={changeColumns(t)}
        rows={changes}
        rowKey={({ field }) => field}
        query={loadedQuery}
        empty={
          <Text size="sm" c="dimmed">
            {t('noChanges')}
          </Text>
        }
      />
    </Stack>
  );
}

function changeColumns(t: ReturnType<typeof useTexts<NonNullable<(typeof auditTexts)['key']>>>): Column<Change>[] {
  return [
    { id: 'field', header: t('field'), render: ({ field }) => <span className="operator-wrap">{field}</span> },
    {
      id: 'before',
      header: t('before'),
      render: ({ before }) => <span className="operator-wrap">{before ?? '—'}</span>,
    },
    { id: 'after', header: t('after'), render: ({ after }) => <span className="operator-wrap">{after ?? '—'}</span> },
  ];
}
