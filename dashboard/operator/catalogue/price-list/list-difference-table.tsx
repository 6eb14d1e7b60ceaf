/** The differences, each with a box to take it over. A price that differs by much is confirmed on its own. */
import { Checkbox, Text } from '@mantine/core';
import { useState } from 'react';
import type { Language } from '../../../../shared/languages.ts';
import { type Column, DataTable, loadedQuery } from '../../../app/components/data-table.tsx';
import { ConfirmDialog } from '../../../app/components/dialogs/confirm-dialog.tsx';
import { Status } from '../../../app/components/status.tsx';
import { type Translate, useLanguage, useTexts } from '../../../app/i18n/use-texts.ts';
import { formatUsd } from '../../../app/money/format-money.ts';
import { Usd } from '../../../app/money/money.tsx';
import { formatCount, formatDay } from '../../../app/time/format-time.ts';
import { PriceName } from '../price-words.tsx';
import type { ListDifference } from './list-differences.ts';
import { priceListTexts } from './price-list-texts.ts';

interface ListDifferenceTableProps {
  readonly rows: readonly ListDifference[];
  /** Their keys. */
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (key: string, isChosen: boolean) => void;
}

export function ListDifferenceTable({ rows, chosen, onChoose }: ListDifferenceTableProps) {
  const t = useTexts(priceListTexts);
  const language = useLanguage();
  const [isConfirming, setConfirming] = useState(false);
  /** While the dialog fades out, it keeps its content. */
  const [confirmed, setConfirmed] = useState<ListDifference>();
  const choose = (row: ListDifference, isChosen: boolean) => {
    if (!isChosen || !row.isLarge) {
      onChoose(row.key, isChosen);
      return;
    }
    setConfirmed(row);
    setConfirming(true);
  };
  const usd = (amount: string | null) => (amount === null ? '—' : formatUsd(amount, language));
  return (
    <>
      <DataTable
        label={t('differences', { count: rows.length, number: formatCount(rows.length, language) })}
        columns={columnsOf({ t, language, chosen, choose })}
        rows={rows}
        rowKey={({ key }) => key}
        query={loadedQuery}
        empty={null}
      />
      <ConfirmDialog
        opened={isConfirming}
        onClose={() => setConfirming(false)}
        title={t('confirmTitle')}
        text={
          confirmed &&
          t('confirmText', {
            model: confirmed.model,
            field: confirmed.field,
            from: usd(confirmed.from),
            to: usd(confirmed.to),
          })
        }
        confirmLabel={t('confirmButton')}
        onConfirm={async () => {
          if (confirmed !== undefined) onChoose(confirmed.key, true);
        }}
      />
    </>
  );
}

interface Cells {
  readonly t: Translate<NonNullable<(typeof priceListTexts)['key']>>;
  readonly language: Language;
  readonly chosen: ReadonlySet<string>;
  readonly choose: (row: ListDifference, isChosen: boolean) => void;
}

function columnsOf({ t, language, chosen, choose }: Cells): Column<ListDifference>[] {
  return [
    {
      id: 'model',
      header: t('model'),
      render: (row) => (
        <Checkbox
          aria-label={t('takeThis', { field: row.field, model: row.model })}
          checked={chosen.has(row.key)}
          onChange={({ currentTarget }) => choose(row, currentTarget.checked)}
          label={<ModelOf row={row} />}
        />
      ),
    },
    { id: 'what', header: t('what'), render: ({ field }) => <FieldName field={field} t={t} /> },
    { id: 'from', header: t('catalogue'), align: 'right', render: (row) => shownValue(row, row.from, language) },
    { id: 'to', header: t('listSays'), align: 'right', render: (row) => shownValue(row, row.to, language) },
    {
      id: 'note',
      header: t('note'),
      render: ({ isLarge, isDecrease }) =>
        isLarge ? (
          <Status tone="bad">{t('large')}</Status>
        ) : isDecrease ? (
          <Status tone="good">{t('lower')}</Status>
        ) : null,
    },
  ];
}

function ModelOf({ row: { model, entry, rule, isFurther } }: { row: ListDifference }) {
  const t = useTexts(priceListTexts);
  return (
    <div className="operator-cell">
      <Text span inherit {...(isFurther ? { c: 'dimmed' } : { fw: 500 })}>
        {model}
      </Text>
      {isFurther ? null : (
        <Text span size="xs" c="dimmed">
          {rule === 'undated' ? `${entry} · ${t('undated')}` : entry}
        </Text>
      )}
    </div>
  );
}

const facts = ['contextTokens', 'maxOutputTokens', 'inputModalities', 'retiresAt'] as const;

function FieldName({ field, t }: { field: string } & Pick<Cells, 't'>) {
  const fact = facts.find((known) => known === field);
  return fact === undefined ? <PriceName name={field} /> : t(fact);
}

function shownValue({ field, isPrice }: ListDifference, value: string | null, language: Language) {
  if (value === null) return '—';
  if (isPrice) return <Usd amount={value} />;
  if (field === 'retiresAt') return <span className="instant">{formatDay(value, language)}</span>;
  return field === 'inputModalities' ? value : formatCount(Number(value), language);
}
