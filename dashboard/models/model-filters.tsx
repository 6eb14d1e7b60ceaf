/** Search, filters and the order of the list. All of them are in the address. */
import { Select } from '@mantine/core';
import { useMemo } from 'react';
import { modelKinds } from '../../shared/catalogue/model-kinds.ts';
import { SearchField } from '../app/components/fields/search-field.tsx';
import { useTexts } from '../app/i18n/use-texts.ts';
import type { Model } from './model.ts';
import { modelsTexts } from './models-texts.ts';
import { type Selection, sortings } from './select-models.ts';

type Change = { readonly [Name in keyof Selection]?: Selection[Name] | undefined };

interface ModelFiltersProps {
  readonly models: readonly Model[];
  readonly selection: Selection;
  readonly onChoose: (change: Change) => void;
  /** While the search is being typed. */
  readonly onType: (change: Change) => void;
}

const catalogueOrder = 'catalogue';

export function ModelFilters({ models, selection, onChoose, onType }: ModelFiltersProps) {
  const t = useTexts(modelsTexts);
  const owners = useMemo(() => [...new Set(models.map(({ ownedBy }) => ownedBy))].sort(), [models]);
  const kinds = modelKinds.filter((kind) => kind === selection.kind || models.some((model) => model.kind === kind));
  const sortLabels = {
    name: t('byName'),
    prompt: t('byPrompt'),
    completion: t('byCompletion'),
    cost: t('byCost'),
    context: t('byContext'),
    newest: t('byNewest'),
  };
  return (
    <div className="model-filters">
      <SearchField label={t('search')} value={selection.q ?? ''} onSearch={(q) => onType({ q: q || undefined })} />
      <Select
        aria-label={t('kind')}
        placeholder={t('allKinds')}
        data={kinds.map((value) => ({ value, label: t(value) }))}
        value={selection.kind ?? null}
        onChange={(value) => onChoose({ kind: modelKinds.find((kind) => kind === value) })}
        clearable
      />
      <Select
        aria-label={t('owner')}
        placeholder={t('allOwners')}
        data={owners}
        value={selection.owner ?? null}
        onChange={(owner) => onChoose({ owner: owner ?? undefined })}
        searchable={owners.length > 10}
        clearable
      />
      <Select
        className="model-order"
        aria-label={t('sort')}
        data={[
          { value: catalogueOrder, label: t('byCatalogue') },
          ...sortings.map((value) => ({ value, label: sortLabels[value] })),
        ]}
        value={selection.sort ?? catalogueOrder}
        onChange={(value) => onChoose({ sort: sortings.find((sorting) => sorting === value) })}
        allowDeselect={false}
      />
    </div>
  );
}
