/** The list of models, a page at a time, so that a thousand of them are as fast as ten. */
import { Anchor, Button, Group, Pagination, Text } from '@mantine/core';
import { IconList, IconSearchOff } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import { CopyIcon } from '../app/components/copy-icon.tsx';
import { type Column, DataTable } from '../app/components/data-table.tsx';
import { EmptyState } from '../app/components/empty-state.tsx';
import type { Language } from '../app/i18n/language.ts';
import { type Translate, useLanguage, useTexts } from '../app/i18n/use-texts.ts';
import { useRateText } from '../app/money/money.tsx';
import { formatCount } from '../app/time/format-time.ts';
import { CostCell, PriceCell } from './model-cells.tsx';
import { modelsTexts } from './models-texts.ts';
import type { PriceList } from './queries.ts';
import type { PricedModel } from './select-models.ts';

const pageSize = 50;

type T = Translate<NonNullable<(typeof modelsTexts)['key']>>;

interface ModelTableProps {
  readonly query: UseQueryResult<PriceList>;
  readonly found: readonly PricedModel[] | undefined;
  readonly page: number;
  readonly onClear: () => void;
}

export function ModelTable({ query, found, page, onClear }: ModelTableProps) {
  const t = useTexts(modelsTexts);
  const language = useLanguage();
  const pages = Math.max(1, Math.ceil((found?.length ?? 0) / pageSize));
  const shownPage = Math.min(page, pages);
  const first = (shownPage - 1) * pageSize;
  const rows = found?.slice(first, first + pageSize);
  return (
    <>
      <DataTable
        label={t('title')}
        columns={columnsOf(t, language)}
        rows={rows}
        rowKey={({ model }) => model.id}
        query={query}
        empty={query.data?.models.length === 0 ? <NoModels t={t} /> : <NoMatch t={t} onClear={onClear} />}
        skeletonRows={10}
      />
      <Group justify="space-between" mt="md" gap="sm" mih={36} className="model-footer">
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
}

function NoModels({ t }: { t: T }) {
  return <EmptyState icon={IconList} title={t('emptyTitle')} text={t('emptyText')} />;
}

function NoMatch({ t, onClear }: { t: T; onClear: () => void }) {
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
function Pages({ page, pages, t }: { page: number; pages: number; t: T }) {
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

function columnsOf(t: T, language: Language): Column<PricedModel>[] {
  const priceColumn = (id: 'prompt' | 'cachedPrompt' | 'completion', header: string): Column<PricedModel> => ({
    id,
    header,
    align: 'right',
    render: ({ model }) => <PriceCell model={model} name={id} />,
  });
  return [
    { id: 'model', header: t('model'), render: (row) => <ModelName row={row} t={t} /> },
    {
      id: 'context',
      header: t('context'),
      align: 'right',
      render: ({ model }) => formatCount(model.contextTokens, language),
    },
    priceColumn('prompt', t('input')),
    priceColumn('cachedPrompt', t('cachedInput')),
    priceColumn('completion', t('output')),
    { id: 'cost', header: t('costPerMonth'), align: 'right', render: (row) => <CostCell row={row} /> },
  ];
}

function ModelName({ row: { model }, t }: { row: PricedModel; t: T }) {
  const id = useRef<HTMLAnchorElement>(null);
  return (
    <div className="model-name">
      <Group gap={4} wrap="nowrap">
        <Anchor
          ref={id}
          component={Link}
          to="."
          search={((search: object) => ({ ...search, model: model.id })) as unknown as true}
          resetScroll={false}
          className="mono"
          fw={500}
        >
          {model.id}
        </Anchor>
        <CopyIcon label={t('copyId', { id: model.id })} value={model.id} shownIn={() => id.current} />
      </Group>
      <Text size="xs" c="dimmed">
        {model.ownedBy} · {t(model.kind)}
      </Text>
    </div>
  );
}
