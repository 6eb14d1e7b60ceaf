/** Every price that changes. */
import { Text } from '@mantine/core';
import { type Column, DataTable, loadedQuery } from '../../../app/components/data-table.tsx';
import { type Translate, useTexts } from '../../../app/i18n/use-texts.ts';
import { Usd } from '../../../app/money/money.tsx';
import { catalogueTexts } from '../catalogue-texts.ts';
import { Percent, PriceName } from '../price-words.tsx';
import type { Preview } from '../queries.ts';

type Changed = Preview['changed'][number];
type PriceChange = Changed['prices'][number] & {
  readonly model: string;
  /** Whether the row before is of the same model. */
  readonly isFurther: boolean;
};

export function PriceChangeTable({ changed }: { changed: readonly Changed[] }) {
  const t = useTexts(catalogueTexts);
  const rows = changed.flatMap(({ id, prices }) =>
    prices.map((price, index): PriceChange => ({ ...price, model: id, isFurther: index > 0 })),
  );
  return (
    <DataTable
      label={t('priceChangesLabel')}
      columns={columnsOf(t)}
      rows={rows}
      rowKey={({ model, price }) => `${model} ${price}`}
      query={loadedQuery}
      empty={null}
    />
  );
}

function columnsOf(t: Translate<NonNullable<(typeof catalogueTexts)['key']>>): Column<PriceChange>[] {
  const usd = (amount: string | null) => (amount === null ? '—' : <Usd amount={amount} />);
  return [
    {
      id: 'model',
      header: t('model'),
      render: ({ model, isFurther }) => (
        <Text span inherit {...(isFurther ? { c: 'dimmed' } : { fw: 500 })}>
          {model}
        </Text>
      ),
    },
    { id: 'price', header: t('price'), render: ({ price }) => <PriceName name={price} /> },
    { id: 'from', header: t('priceNow'), align: 'right', render: ({ from }) => usd(from) },
    { id: 'to', header: t('priceNew'), align: 'right', render: ({ to }) => usd(to) },
    {
      id: 'difference',
      header: t('difference'),
      align: 'right',
      render: ({ difference }) => (difference === null ? '—' : <Usd amount={difference} signed />),
    },
    { id: 'percent', header: t('inPercent'), align: 'right', render: ({ percent }) => <Percent value={percent} /> },
  ];
}
