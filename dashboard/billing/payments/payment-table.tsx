/** The payments of the account, newest first. A row leads to its payment. */
import { IconCreditCard } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type Column, DataTable } from '../../app/components/data-table.tsx';
import { EmptyState } from '../../app/components/empty-state.tsx';
import { Pager } from '../../app/components/pager.tsx';
import { type Translate, useTexts } from '../../app/i18n/use-texts.ts';
import { usePolling } from '../../app/live/live.ts';
import { AlignedUsd } from '../../app/money/aligned-usd.tsx';
import { Instant } from '../../app/time/instant.tsx';
import { billingTexts } from '../billing-texts.ts';
import { type Payment, pagePayments, paymentsQuery } from '../queries.ts';
import { PaidAndRefunded } from './paid-and-refunded.tsx';
import { paymentTexts } from './payment-texts.ts';
import { methodName, PaymentRate, PaymentStatusMark } from './payment-words.tsx';

const pollingMs = 15_000;

interface PaymentTableProps {
  /** How many newer ones there are. */
  readonly offset: number;
  /** How to begin, where there is none. */
  readonly action: ReactNode;
}

export function PaymentTable({ offset, action }: PaymentTableProps) {
  const t = useTexts(billingTexts);
  const words = useTexts(paymentTexts);
  const query = useQuery({ ...paymentsQuery(offset), refetchInterval: usePolling(pollingMs) });
  const { payments, total = 0 } = query.data ?? {};
  const next = offset + pagePayments;
  const pager = (
    <Pager cursor={offset === 0 ? undefined : String(offset)} nextCursor={next < total ? String(next) : null} />
  );
  return (
    <div className="row-links">
      <DataTable
        label={t('payments')}
        columns={columnsOf(words, payments ?? [])}
        rows={payments}
        rowKey={({ id }) => id}
        query={query}
        empty={<EmptyState icon={IconCreditCard} title={t('emptyTitle')} text={t('emptyText')} action={action} />}
        skeletonRows={5}
        pager={offset === 0 && next >= total ? undefined : pager}
      />
    </div>
  );
}

function columnsOf(t: Translate<NonNullable<(typeof paymentTexts)['key']>>, payments: readonly Payment[]) {
  const credits = payments.map(({ creditUsd }) => creditUsd);
  return [
    { id: 'ordered', header: t('ordered'), render: (payment) => <PaymentLink payment={payment} /> },
    { id: 'method', header: t('method'), render: ({ method }) => methodName(method, t) },
    { id: 'status', header: t('status'), render: ({ status }) => <PaymentStatusMark status={status} /> },
    { id: 'amount', header: t('amount'), align: 'right', render: (payment) => <PaidAndRefunded payment={payment} /> },
    { id: 'rate', header: t('rate'), align: 'right', render: (payment) => <PaymentRate {...payment} /> },
    {
      id: 'credit',
      header: t('credit'),
      align: 'right',
      render: ({ creditUsd }) => <AlignedUsd amount={creditUsd} among={credits} />,
    },
  ] satisfies Column<Payment>[];
}

function PaymentLink({ payment: { id, createdAt } }: { payment: Payment }) {
  return (
    <Link
      to="/billing"
      search={((search: object) => ({ ...search, payment: id })) as unknown as true}
      resetScroll={false}
      className="row-link"
    >
      <Instant value={createdAt} />
    </Link>
  );
}
