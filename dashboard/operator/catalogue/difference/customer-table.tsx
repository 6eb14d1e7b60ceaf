/** Customers who use the models that change, with what their usual usage costs now and would cost. */
import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type Column, DataTable, loadedQuery } from '../../../app/components/data-table.tsx';
import { type Translate, useLanguage, useTexts } from '../../../app/i18n/use-texts.ts';
import { Usd } from '../../../app/money/money.tsx';
import { formatCount } from '../../../app/time/format-time.ts';
import { catalogueTexts } from '../catalogue-texts.ts';
import { Percent } from '../price-words.tsx';
import type { Preview } from '../queries.ts';

type Customer = Preview['customers'][number];

export function CustomerTable({ customers }: { customers: readonly Customer[] }) {
  const t = useTexts(catalogueTexts);
  const language = useLanguage();
  return (
    <DataTable
      label={t('customersLabel')}
      columns={columnsOf(t, (value) => formatCount(value, language))}
      rows={customers}
      rowKey={({ accountId }) => accountId}
      query={loadedQuery}
      empty={
        <Text size="sm" c="dimmed">
          {t('noCustomers')}
        </Text>
      }
    />
  );
}

type T = Translate<NonNullable<(typeof catalogueTexts)['key']>>;

function columnsOf(t: T, count: (value: number) => string): Column<Customer>[] {
  const usd = (amount: string | null) => (amount === null ? '—' : <Usd amount={amount} />);
  return [
    {
      id: 'customer',
      header: t('customer'),
      render: ({ accountId, email }) => (
        <Link to="/operator/accounts/$id" params={{ id: String(accountId) }} className="operator-link">
          {email ?? `#${accountId}`}
        </Link>
      ),
    },
    {
      id: 'models',
      header: t('usedModels'),
      render: ({ models }) => <UsedModels models={models} t={t} count={count} />,
    },
    { id: 'before', header: t('costNow'), align: 'right', render: ({ before }) => usd(before) },
    { id: 'after', header: t('costNew'), align: 'right', render: ({ after }) => usd(after) },
    {
      id: 'difference',
      header: t('difference'),
      align: 'right',
      render: ({ difference }) => (difference === null ? '—' : <Usd amount={difference} signed />),
    },
    { id: 'percent', header: t('inPercent'), align: 'right', render: ({ percent }) => <Percent value={percent} /> },
  ];
}

interface UsedModelsProps {
  readonly models: Customer['models'];
  readonly t: T;
  readonly count: (value: number) => string;
}

function UsedModels({ models, t, count }: UsedModelsProps) {
  return (
    <div className="operator-cell">
      {models.map(({ model, removed, requests, percent }) => (
        <span key={model}>
          {model}{' '}
          <Text span size="xs" c="dimmed">
            {t('requestsCount', { count: requests, number: count(requests) })}
            {' · '}
            {removed ? t('isRemoved') : <Percent value={percent} />}
          </Text>
        </span>
      ))}
    </div>
  );
}
