/** A list of payments of several accounts. A row leads to its payment. */
import { Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type Column, DataTable } from '../../app/components/data-table.tsx';
import { type Translate, useTexts } from '../../app/i18n/use-texts.ts';
import { AlignedUsd } from '../../app/money/aligned-usd.tsx';
import { Instant } from '../../app/time/instant.tsx';
import { PaidAndRefunded } from '../../billing/payments/paid-and-refunded.tsx';
import { paymentTexts } from '../../billing/payments/payment-texts.ts';
import { methodName, PaymentStatusMark } from '../../billing/payments/payment-words.tsx';
import { paymentsTexts } from './payments-texts.ts';
import type { OperatorPayment } from './queries.ts';

interface PaymentTableProps {
  readonly label: string;
  /** Undefined until they are loaded. */
  readonly payments: readonly OperatorPayment[] | undefined;
  readonly query: Pick<UseQueryResult, 'error' | 'refetch' | 'isFetching'>;
  /** Whether each shows its problem. */
  readonly hasProblem?: boolean;
  readonly skeletonRows?: number;
  readonly empty: ReactNode;
  readonly pager?: ReactNode;
}

export function PaymentTable({ payments, hasProblem = false, ...table }: PaymentTableProps) {
  const t = useTexts(paymentsTexts);
  const words = useTexts(paymentTexts);
  return (
    <div className="row-links">
      <DataTable
        columns={columnsOf({ t, words, payments: payments ?? [], hasProblem })}
        rows={payments}
        rowKey={({ id }) => id}
        {...table}
      />
    </div>
  );
}

interface Columns {
  readonly t: Translate<NonNullable<(typeof paymentsTexts)['key']>>;
  readonly words: Translate<NonNullable<(typeof paymentTexts)['key']>>;
  readonly payments: readonly OperatorPayment[];
  readonly hasProblem: boolean;
}

function columnsOf({ t, words, payments, hasProblem }: Columns): Column<OperatorPayment>[] {
  const credits = payments.map(({ creditUsd }) => creditUsd);
  const problem: Column<OperatorPayment> = {
    id: 'problem',
    header: t('problem'),
    render: (payment) => <div className="operator-wide">{payment.problem ?? '—'}</div>,
  };
  return [
    { id: 'customer', header: t('customer'), render: (payment) => <Customer payment={payment} t={t} /> },
    { id: 'ordered', header: t('ordered'), render: ({ createdAt }) => <Instant value={createdAt} /> },
    { id: 'method', header: words('method'), render: ({ method }) => methodName(method, words) },
    ...(hasProblem
      ? [problem]
      : [
          {
            id: 'status',
            header: words('status'),
            render: ({ status }: OperatorPayment) => <PaymentStatusMark status={status} />,
          },
        ]),
    {
      id: 'amount',
      header: words('amount'),
      align: 'right',
      render: (payment) => <PaidAndRefunded payment={payment} />,
    },
    {
      id: 'credit',
      header: words('credit'),
      align: 'right',
      render: ({ creditUsd }) => <AlignedUsd amount={creditUsd} among={credits} />,
    },
  ];
}

function Customer({ payment: { id, email, accountId }, t }: { payment: OperatorPayment; t: Columns['t'] }) {
  return (
    <div className="operator-cell">
      <Link
        to="/operator/payments"
        search={((search: object) => ({ ...search, payment: id })) as unknown as true}
        resetScroll={false}
        className="row-link"
      >
        {email}
      </Link>
      <Text span size="xs" c="dimmed">
        {t('accountNumber', { id: accountId })}
      </Text>
    </div>
  );
}
