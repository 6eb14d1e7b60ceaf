/** The models that customers can use now, with what they pay. */
import { Text, UnstyledButton } from '@mantine/core';
import { IconBook2, IconSearchOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type Column, DataTable } from '../../../app/components/data-table.tsx';
import { EmptyState } from '../../../app/components/empty-state.tsx';
import { SearchField } from '../../../app/components/fields/search-field.tsx';
import { Status } from '../../../app/components/status.tsx';
import { type Translate, useLanguage, useTexts } from '../../../app/i18n/use-texts.ts';
import { Usd } from '../../../app/money/money.tsx';
import { isPaidInstead, shownPrice } from '../../../app/money/priced-units.ts';
import { type UnitWords, useUnitWords } from '../../../app/money/unit-words.ts';
import { formatCount, formatDay } from '../../../app/time/format-time.ts';
import { Instant } from '../../../app/time/instant.tsx';
import { catalogueTexts } from '../catalogue-texts.ts';
import { type ListedModel, priceListQuery } from '../queries.ts';

interface ModelTableProps {
  readonly search: string;
  readonly onSearch: (text: string) => void;
  /** Shows the history of a model's prices. */
  readonly onOpen: (id: string) => void;
}

type T = Translate<NonNullable<(typeof catalogueTexts)['key']>>;

export function ModelTable({ search, onSearch, onOpen }: ModelTableProps) {
  const t = useTexts(catalogueTexts);
  const words = useUnitWords();
  const language = useLanguage();
  const query = useQuery(priceListQuery);
  const wanted = search.toLowerCase();
  const rows = query.data?.models.filter(({ id, ownedBy }) => `${id} ${ownedBy}`.toLowerCase().includes(wanted));
  const empty =
    search === '' ? (
      <EmptyState icon={IconBook2} title={t('emptyTitle')} text={t('emptyText')} />
    ) : (
      <EmptyState icon={IconSearchOff} title={t('noneFound')} text={t('noneFoundText')} />
    );
  return (
    <>
      <div className="filters operator-search">
        <SearchField label={t('searchModels')} value={search} onSearch={onSearch} />
      </div>
      <DataTable
        label={t('models')}
        columns={columnsOf({
          t,
          words,
          count: (value) => formatCount(value, language),
          day: (value) => formatDay(value, language),
          open: onOpen,
        })}
        rows={rows}
        rowKey={({ id }) => id}
        query={query}
        empty={empty}
      />
    </>
  );
}

interface CellWords {
  readonly t: T;
  readonly words: UnitWords;
  readonly count: (value: number) => string;
  readonly day: (value: string) => string;
  readonly open: (id: string) => void;
}

function columnsOf({ t, words, count, day, open }: CellWords): Column<ListedModel>[] {
  return [
    {
      id: 'model',
      header: t('model'),
      render: ({ id, ownedBy, retiresAt }) => (
        <div className="operator-cell">
          <UnstyledButton className="operator-link" onClick={() => open(id)} title={t('showHistory')}>
            {id}
          </UnstyledButton>
          <Text span size="xs" c="dimmed">
            {ownedBy}
          </Text>
          {retiresAt === null ? null : (
            <Text span size="xs" c="dimmed">
              <Status tone="warning">{t('retiresOn', { day: day(retiresAt) })}</Status>
            </Text>
          )}
        </div>
      ),
    },
    { id: 'kind', header: t('kind'), render: ({ kind }) => t(kind === 'completion' ? 'completionKind' : kind) },
    { id: 'context', header: t('context'), align: 'right', render: ({ contextTokens }) => count(contextTokens) },
    {
      id: 'prompt',
      header: t('promptPrice'),
      align: 'right',
      render: ({ perMillionTokens, perImage, perUnit }) => {
        if (perImage.length > 0) return t('imagePrices', { count: perImage.length });
        const instead = perUnit.find(isPaidInstead);
        if (instead === undefined) return <Usd amount={perMillionTokens.prompt} />;
        const { unit, price } = instead;
        return (
          <>
            <Usd amount={shownPrice(unit, price)} /> {words.per(unit)}
          </>
        );
      },
    },
    {
      id: 'completion',
      header: t('completionPrice'),
      align: 'right',
      render: ({ maxOutputTokens, perMillionTokens }) =>
        maxOutputTokens === 0 ? '—' : <Usd amount={perMillionTokens.completion} />,
    },
    { id: 'since', header: t('pricesSince'), render: ({ pricesSince }) => <Instant value={pricesSince} as="day" /> },
  ];
}
