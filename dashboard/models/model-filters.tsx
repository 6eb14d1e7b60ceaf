/** Search, filters and the order of the list. All of them are in the address. */
import { Select } from '@mantine/core';
import { useMemo } from 'react';
import { SearchField } from '../app/components/search-field.tsx';
import { whileOpen } from '../app/components/while-open.ts';
import { useTexts } from '../app/i18n/use-texts.ts';
import { modelsTexts } from './models-texts.ts';
import { type Model, modelKinds } from './queries.ts';
import { type Selection, sortings } from './select-models.ts';

interface ModelFiltersProps {
  readonly models: readonly Model[];
  readonly selection: Selection;
  readonly onChange: (change: { readonly [Name in keyof Selection]?: Selection[Name] | undefined }) => void;
}

const catalogueOrder = 'catalogue';

export function ModelFilters({ models, selection, onChange }: ModelFiltersProps) {
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
      <SearchField label={t('search')} value={selection.q ?? ''} onSearch={(q) => onChange({ q: q || undefined })} />
      <Select
        comboboxProps={whileOpen}
        aria-label={t('kind')}
        placeholder={t('allKinds')}
        data={kinds.map((value) => ({ value, label: t(value) }))}
        value={selection.kind ?? null}
        onChange={(value) => onChange({ kind: modelKinds.find((kind) => kind === value) })}
        clearable
      />
      <Select
        comboboxProps={whileOpen}
        aria-label={t('owner')}
        placeholder={t('allOwners')}
        data={owners}
        value={selection.owner ?? null}
        onChange={(owner) => onChange({ owner: owner ?? undefined })}
        searchable={owners.length > 10}
        clearable
      />
      <Select
        comboboxProps={whileOpen}
        className="model-order"
        aria-label={t('sort')}
        data={[
          { value: catalogueOrder, label: t('byCatalogue') },
          ...sortings.map((value) => ({ value, label: sortLabels[value] })),
        ]}
        value={selection.sort ?? catalogueOrder}
        onChange={(value) => onChange({ sort: sortings.find((sorting) => sorting === value) })}
        allowDeselect={false}
      />
    </div>
  );
}
