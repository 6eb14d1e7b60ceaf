/** Open transfers, each with the invoices that it may pay and why. */
import { Button, Text } from '@mantine/core';
import { IconBuildingBank } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type Column, DataTable } from '../../../app/components/data-table.tsx';
import { EmptyState } from '../../../app/components/empty-state.tsx';
import { Status, type Tone } from '../../../app/components/status.tsx';
import { useLanguage, useTexts } from '../../../app/i18n/use-texts.ts';
import { formatDay } from '../../../app/time/format-time.ts';
import { Paid, usePaid } from '../../../billing/payments/payment-words.tsx';
import { bankTexts } from './bank-texts.ts';
import { LineMatch } from './line-match.tsx';
import type { BankLine } from './queries.ts';
import type { Booking } from './use-booking.ts';

interface LineTableProps {
  /** Undefined until they are loaded. */
  readonly lines: readonly BankLine[] | undefined;
  readonly query: Pick<UseQueryResult, 'error' | 'refetch' | 'isFetching'>;
  readonly booking: Booking;
  readonly pager?: ReactNode;
}

export function LineTable({ lines, query, booking, pager }: LineTableProps) {
  const t = useTexts(bankTexts);
  return (
    <DataTable
      label={t('lines')}
      columns={useColumns(booking)}
      rows={lines}
      rowKey={({ id }) => id}
      query={query}
      empty={<EmptyState icon={IconBuildingBank} title={t('emptyTitle')} text={t('emptyText')} />}
      skeletonRows={4}
      pager={pager}
    />
  );
}

const tones: Readonly<Record<BankLine['state'], Tone>> = {
  booked: 'good',
  certain: 'good',
  proposed: 'warning',
  unmatched: 'neutral',
};

function useColumns(booking: Booking): Column<BankLine>[] {
  const t = useTexts(bankTexts);
  const language = useLanguage();
  return [
    {
      id: 'date',
      header: t('date'),
      render: ({ date, number }) => (
        <div className="operator-cell">
          <span className="instant">{formatDay(date, language)}</span>
          <Text span size="xs" c="dimmed">
            {t('transfer', { number })}
          </Text>
        </div>
      ),
    },
    {
      id: 'payer',
      header: t('payer'),
      render: ({ payer }) => (
        <div className="operator-cell bank-payer">
          <span>{payer.name || '—'}</span>
          <Text span size="xs" c="dimmed">
            {payer.inn === '' ? null : t('inn', { inn: payer.inn })}
          </Text>
        </div>
      ),
    },
    { id: 'purpose', header: t('purpose'), render: ({ purpose }) => <div className="bank-purpose">{purpose}</div> },
    {
      id: 'amount',
      header: t('amount'),
      align: 'right',
      render: ({ amount }) => <Paid amount={amount} currency="RUB" />,
    },
    {
      id: 'match',
      header: t('match'),
      render: (line) => (
        <div className="operator-cell bank-match">
          {line.state === 'booked' ? null : <Status tone={tones[line.state]}>{t(line.state)}</Status>}
          <LineMatch line={line} booking={booking} />
        </div>
      ),
    },
    {
      id: 'actions',
      header: t('actions'),
      isActions: true,
      render: (line) => (line.state === 'certain' ? <BookButton line={line} booking={booking} /> : null),
    },
  ];
}

function BookButton({ line: { id, number, amount }, booking }: { line: BankLine; booking: Booking }) {
  const t = useTexts(bankTexts);
  const paid = usePaid();
  return (
    <Button
      size="compact-sm"
      className="operator-action"
      aria-label={t('bookFor', { number, amount: paid(amount, 'RUB') })}
      disabled={booking.isPending}
      onClick={() => booking.mutate([{ id }])}
    >
      {t('book')}
    </Button>
  );
}
