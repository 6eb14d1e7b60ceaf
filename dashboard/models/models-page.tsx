/** The price list: what every model costs, and what it would cost for a workload. */
import { useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { useMemo } from 'react';
import { PageHeader } from '../app/components/page-header.tsx';
import { useTexts } from '../app/i18n/use-texts.ts';
import { present } from '../app/router/search.ts';
import { CostCalculator } from './cost-calculator.tsx';
import { estimate } from './estimate.ts';
import { ModelDialog } from './model-dialog.tsx';
import { ModelFilters } from './model-filters.tsx';
import { ModelTable } from './model-table.tsx';
import { modelsTexts } from './models-texts.ts';
import { priceListQuery } from './queries.ts';
import { type PricedModel, type Selection, selectModels } from './select-models.ts';
import { completeWorkload, type WorkloadParameters } from './workload.ts';

export const modelsRoute = createLazyRoute('/user/models')({ component: ModelsPage });

type Change = { readonly [Name in keyof Selection]?: Selection[Name] | undefined } & Partial<WorkloadParameters>;

function ModelsPage() {
  const t = useTexts(modelsTexts);
  const search = modelsRoute.useSearch();
  const navigate = modelsRoute.useNavigate();
  const query = useQuery(priceListQuery);
  const workload = useMemo(() => completeWorkload(search), [search]);
  const priced = useMemo(() => {
    const { models, rubRate } = query.data ?? {};
    return models?.map(
      (model): PricedModel => ({ model, estimate: estimate(model, workload, rubRate?.perUsd ?? '0') }),
    );
  }, [query.data, workload]);
  const found = useMemo(() => priced && selectModels(priced, search), [priced, search]);
  // Every keystroke would be a step of “back”.
  const change = (values: Change) =>
    void navigate({
      search: (before) => present({ ...before, page: undefined, ...values }),
      replace: true,
      resetScroll: false,
    });
  return (
    <>
      <PageHeader title={t('title')} description={t('description')} />
      <CostCalculator workload={workload} onChange={change} />
      <ModelFilters models={query.data?.models ?? []} selection={search} onChange={change} />
      <ModelTable
        query={query}
        found={found}
        page={search.page ?? 1}
        onClear={() => change({ q: undefined, kind: undefined, owner: undefined })}
      />
      <ModelDialog
        id={search.model}
        priced={priced}
        rubRate={query.data?.rubRate}
        onClose={() =>
          void navigate({ search: (before) => present({ ...before, model: undefined }), resetScroll: false })
        }
      />
    </>
  );
}
