/** The scheduled catalogues, and how to cancel them. */
import { Button, Group } from '@mantine/core';
import { IconCalendarTime } from '@tabler/icons-react';
import { type UseQueryResult, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Column, DataTable } from '../../../app/components/data-table.tsx';
import { ConfirmDialog } from '../../../app/components/dialogs/confirm-dialog.tsx';
import { EmptyState } from '../../../app/components/empty-state.tsx';
import { notifyDone } from '../../../app/components/notify.ts';
import { type Translate, useLanguage, useTexts } from '../../../app/i18n/use-texts.ts';
import { formatInstant } from '../../../app/time/format-time.ts';
import { Instant } from '../../../app/time/instant.tsx';
import { catalogueTexts } from '../catalogue-texts.ts';
import { cancelScheduled, refreshCatalogue, type ScheduledCatalogue } from '../queries.ts';
import { ScheduledDialog } from './scheduled-dialog.tsx';

interface ScheduledTableProps {
  readonly query: UseQueryResult<{ readonly scheduled: ScheduledCatalogue[] } | null>;
}

type T = Translate<NonNullable<(typeof catalogueTexts)['key']>>;

export function ScheduledTable({ query }: ScheduledTableProps) {
  const t = useTexts(catalogueTexts);
  const { data } = query;
  return (
    <DataTable
      label={t('scheduled')}
      columns={columnsOf(t)}
      rows={data === undefined ? undefined : (data?.scheduled ?? [])}
      rowKey={({ id }) => id}
      query={query}
      skeletonRows={3}
      empty={<EmptyState icon={IconCalendarTime} title={t('noneScheduled')} text={t('noneScheduledText')} />}
    />
  );
}

function columnsOf(t: T): Column<ScheduledCatalogue>[] {
  return [
    { id: 'from', header: t('effectiveFrom'), render: ({ effectiveFrom }) => <Instant value={effectiveFrom} /> },
    {
      id: 'in',
      header: t('effectiveIn'),
      render: ({ effectiveFrom }) => <Instant value={effectiveFrom} as="relative" />,
    },
    { id: 'created', header: t('scheduledAt'), render: ({ createdAt }) => <Instant value={createdAt} /> },
    { id: 'actions', header: t('actions'), isActions: true, render: (row) => <ScheduledActions scheduled={row} /> },
  ];
}

function ScheduledActions({ scheduled }: { scheduled: ScheduledCatalogue }) {
  const t = useTexts(catalogueTexts);
  const language = useLanguage();
  const queries = useQueryClient();
  const [open, setOpen] = useState<'difference' | 'cancel'>();
  const time = formatInstant(scheduled.effectiveFrom, language);
  const close = () => setOpen(undefined);
  const cancel = async () => {
    await cancelScheduled(scheduled.id);
    notifyDone(t('cancelDone', { time }));
    await refreshCatalogue(queries);
  };
  return (
    <Group gap="xs" justify="flex-end" className="operator-action">
      <Button variant="default" size="compact-sm" onClick={() => setOpen('difference')}>
        {t('showDifference')}
      </Button>
      <Button variant="default" size="compact-sm" onClick={() => setOpen('cancel')}>
        {t('cancelChange')}
      </Button>
      <ScheduledDialog scheduled={scheduled} opened={open === 'difference'} onClose={close} />
      <ConfirmDialog
        opened={open === 'cancel'}
        onClose={close}
        title={t('cancelTitle', { time })}
        text={t('cancelText')}
        confirmLabel={t('cancelChange')}
        onConfirm={cancel}
      />
    </Group>
  );
}
