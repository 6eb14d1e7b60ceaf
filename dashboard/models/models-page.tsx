/** The price list: what every model costs, and what it would cost for a workload. */
import { useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { useCallback, useDeferredValue, useMemo } from 'react';
import { priceListQuery } from '../app/api/shared-queries.ts';
import { PageHeader } from '../app/components/page-header.tsx';
import { useTexts } from '../app/i18n/use-texts.ts';
import { present, writeSearch } from '../app/router/search.ts';
import { CostCalculator } from './cost-calculator.tsx';
import { estimate, type Model, type PriceList } from './model.ts';
import { ModelDialog } from './model-dialog.tsx';
import { ModelFilters } from './model-filters.tsx';
import { ModelTable } from './model-table.tsx';
import { modelsTexts } from './models-texts.ts';
import { type PricedModel, type Selection, selectModels } from './select-models.ts';
import { completeWorkload, type WorkloadParameters } from './workload.ts';

export const modelsRoute = createLazyRoute('/user/models')({ component: ModelsPage });

type Change = { readonly [Name in keyof Selection]?: Selection[Name] | undefined } & Partial<WorkloadParameters>;

const noModels: readonly Model[] = [];

function ModelsPage() {
  const t = useTexts(modelsTexts);
  const { model: opened, ...search } = modelsRoute.useSearch();
  const query = useQuery(priceListQuery);
  const { choose, type, clear, open, close } = useChanges();
  const { workload, priced, found } = useList(query.data, search);
  const address = writeSearch(search);
  const hrefOf = useCallback((id: string) => linkTo(address, id), [address]);
  // The fields stay fast while a long list is drawn.
  const shown = useDeferredValue(useMemo(() => ({ found, page: search.page ?? 1 }), [found, search.page]));
  return (
    <>
      <PageHeader title={t('title')} description={t('description')} />
      <CostCalculator workload={workload} onChange={type} />
      <ModelFilters models={query.data?.models ?? noModels} selection={search} onChoose={choose} onType={type} />
      <ModelTable
        query={query}
        found={shown.found}
        page={shown.page}
        hrefOf={useDeferredValue(hrefOf)}
        onOpen={open}
        onClear={clear}
      />
      <ModelDialog id={opened} priced={priced} rubRate={query.data?.rubRate} onClose={close} />
    </>
  );
}

type Search = ReturnType<typeof modelsRoute.useSearch>;

/** Calculates only what has changed: another page or an open dialog needs no new prices, and no new order. */
function useList(prices: PriceList | undefined, search: Search) {
  const { in: tokensIn, out, cached, requests, q, kind, owner, sort } = search;
  const workload = useMemo(
    () => completeWorkload({ in: tokensIn, out, cached, requests }),
    [tokensIn, out, cached, requests],
  );
  const priced = useMemo(
    () =>
      prices?.models.map(
        (model): PricedModel => ({ model, estimate: estimate(model, workload, prices.rubRate.perUsd) }),
      ),
    [prices, workload],
  );
  const found = useMemo(
    () => priced && selectModels(priced, present({ q, kind, owner, sort })),
    [priced, q, kind, owner, sort],
  );
  return { workload, priced, found };
}

/** An address of the page with a model's dialog. */
function linkTo(address: string, model: string): string {
  const parameters = new URLSearchParams(address);
  parameters.set('model', model);
  return `?${parameters}`;
}

/** What changes the address; the functions are always the same. */
function useChanges() {
  const navigate = modelsRoute.useNavigate();
  return useMemo(() => {
    const change = (values: Change, replace: boolean) =>
      void navigate({
        search: (before) => present({ ...before, page: undefined, ...values }),
        replace,
        resetScroll: false,
      });
    const show = (model: string | undefined) =>
      void navigate({ search: (before) => present({ ...before, model }), resetScroll: false });
    return {
      choose: (values: Change) => change(values, false),
      // Otherwise every keystroke would be a step of “back”.
      type: (values: Change) => change(values, true),
      clear: () => change({ q: undefined, kind: undefined, owner: undefined }, false),
      open: (id: string) => show(id),
      close: () => show(undefined),
    };
  }, [navigate]);
}
