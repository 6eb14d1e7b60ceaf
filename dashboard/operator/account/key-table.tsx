/** The account's keys of both kinds. */
import { Text } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { type Column, DataTable, loadedQuery } from '../../app/components/data-table.tsx';
import { EmptyState } from '../../app/components/empty-state.tsx';
import { Status, type Tone } from '../../app/components/status.tsx';
import { type Translate, useTexts } from '../../app/i18n/use-texts.ts';
import { Instant } from '../../app/time/instant.tsx';
import { accountTexts } from './account-texts.ts';
import type { AccountKey } from './queries.ts';

const tones: Readonly<Record<AccountKey['state'], Tone>> = {
  active: 'good',
  inactive: 'neutral',
  expired: 'warning',
  project_archived: 'warning',
};

export function KeyTable({ keys }: { keys: readonly AccountKey[] }) {
  const t = useTexts(accountTexts);
  return (
    <DataTable
      label={t('keys')}
      columns={columnsOf(t)}
      rows={keys}
      rowKey={({ kind, id }) => `${kind} ${id}`}
      query={loadedQuery}
      empty={<EmptyState icon={IconKey} title={t('noKeys')} text={t('noKeysText')} />}
    />
  );
}

function columnsOf(t: Translate<NonNullable<(typeof accountTexts)['key']>>): Column<AccountKey>[] {
  return [
    {
      id: 'key',
      header: t('key'),
      render: ({ name, prefix }) => (
        <div className="operator-cell">
          <Text span inherit fw={500}>
            {name}
          </Text>
          <Text span className="mono" c="dimmed">
            {prefix}…
          </Text>
        </div>
      ),
    },
    { id: 'kind', header: t('kind'), render: ({ kind }) => t(kind) },
    { id: 'state', header: t('state'), render: ({ state }) => <Status tone={tones[state]}>{t(state)}</Status> },
    { id: 'created', header: t('created'), render: ({ createdAt }) => <Instant value={createdAt} as="day" /> },
    {
      id: 'expires',
      header: t('expires'),
      render: ({ expiresAt }) => (expiresAt === null ? t('never') : <Instant value={expiresAt} as="day" />),
    },
  ];
}
