/** The list of models, a page at a time, so that a thousand of them are as fast as ten. */
import { Button, Group, Pagination, Text } from '@mantine/core';
import { IconList, IconSearchOff } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import { type Column, DataTable } from '../app/components/data-table.tsx';
import { EmptyState } from '../app/components/empty-state.tsx';
import { useLanguage, useTexts } from '../app/i18n/use-texts.ts';
import { useRateText } from '../app/money/money.tsx';
import { useUnitWords } from '../app/money/unit-words.ts';
import { formatCount } from '../app/time/format-time.ts';
import type { PriceList } from './model.ts';
import { type CellTexts, CostCell, ModelName, PriceCell, type TranslateModels } from './model-cells.tsx';
import { modelsTexts } from './models-texts.ts';
import type { PricedModel } from './select-models.ts';

const pageSize = 50;

interface Opening {
  /** The address of a model's dialog. */
  readonly hrefOf: (id: string) => string;
  /** Opens it without leaving the page. */
  readonly onOpen: (id: string) => void;
}

interface ModelTableProps extends Opening {
  readonly query: UseQueryResult<PriceList>;
  readonly found: readonly PricedModel[] | undefined;
  readonly page: number;
  readonly onClear: () => void;
}

/** Drawn again only when it changes, and not with the fields above it. */
export const ModelTable = memo(function ModelTable({ query, found, page, onClear, ...opening }: ModelTableProps) {
  const t = useTexts(modelsTexts);
  const words = useUnitWords();
  const language = useLanguage();
  const pages = Math.max(1, Math.ceil((found?.length ?? 0) / pageSize));
  const shownPage = Math.min(page, pages);
  const first = (shownPage - 1) * pageSize;
  const rows = found?.slice(first, first + pageSize);
  return (
    <>
      <DataTable
        label={t('title')}
        columns={columnsOf({ t, words, language }, opening)}
        rows={rows}
        rowKey={({ model }) => model.id}
        query={query}
        empty={query.data?.models.length === 0 ? <NoModels t={t} /> : <NoMatch t={t} onClear={onClear} />}
        skeletonRows={10}
      />
      <Group justify="space-between" mt="md" gap="sm" mih={36}>
        <Text size="sm" c="dimmed" role="status">
          {found === undefined || rows === undefined || rows.length === 0
            ? ''
            : t('shown', {
                from: formatCount(first + 1, language),
                to: formatCount(first + rows.length, language),
                total: formatCount(found.length, language),
              })}
        </Text>
        {pages > 1 ? <Pages page={shownPage} pages={pages} t={t} /> : null}
        {query.data && found?.length ? <RateNote rate={query.data.rubRate} /> : null}
      </Group>
    </>
  );
});

function NoModels({ t }: { t: TranslateModels }) {
  return <EmptyState icon={IconList} title={t('emptyTitle')} text={t('emptyText')} />;
}

function NoMatch({ t, onClear }: { t: TranslateModels; onClear: () => void }) {
  return (
    <EmptyState
      icon={IconSearchOff}
      title={t('noMatchTitle')}
      text={t('noMatchText')}
      action={
        <Button variant="default" onClick={onClear}>
          {t('clearFilters')}
        </Button>
      }
    />
  );
}

/** Links, so that “back” leads to the former page. */
function Pages({ page, pages, t }: { page: number; pages: number; t: TranslateModels }) {
  const linkTo = (target: number) => ({
    component: Link,
    to: '.',
    search: (search: object) => ({ ...search, page: target === 1 ? undefined : target }),
  });
  const neighbours = { previous: Math.max(1, page - 1), next: Math.min(pages, page + 1), first: 1, last: pages };
  return (
    <Pagination
      aria-label={t('pages')}
      value={page}
      total={pages}
      size="sm"
      getItemProps={linkTo}
      getControlProps={(control) => ({
        ...linkTo(neighbours[control]),
        'aria-label': t(control === 'next' ? 'nextPage' : 'previousPage'),
      })}
    />
  );
}

function RateNote({ rate }: { rate: PriceList['rubRate'] }) {
  return (
    <Text size="sm" c="dimmed">
      {useRateText(rate)}
    </Text>
  );
}

function columnsOf(texts: CellTexts, { hrefOf, onOpen }: Opening): Column<PricedModel>[] {
  const { t, language } = texts;
  const priceColumn = (id: 'prompt' | 'cachedPrompt' | 'completion', header: string): Column<PricedModel> => ({
    id,
    header,
    align: 'right',
    render: ({ model }) => <PriceCell model={model} name={id} {...texts} />,
  });
  return [
    {
      id: 'model',
      header: t('model'),
      render: ({ model }) => <ModelName model={model} href={hrefOf(model.id)} onOpen={onOpen} {...texts} />,
    },
    {
      id: 'context',
      header: t('context'),
      align: 'right',
      render: ({ model }) => formatCount(model.contextTokens, language),
    },
    priceColumn('prompt', t('input')),
    priceColumn('cachedPrompt', t('cachedInput')),
    priceColumn('completion', t('output')),
    { id: 'cost', header: t('costPerMonth'), align: 'right', render: (row) => <CostCell row={row} {...texts} /> },
  ];
}
