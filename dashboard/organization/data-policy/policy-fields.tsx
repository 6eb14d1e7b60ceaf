/** What a data policy demands, as one field of a form: of the organization, or of a key. */
import { Checkbox, MultiSelect, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { entryAtFault } from '../../app/components/fields/entries.ts';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { dataPolicyQuery } from '../queries.ts';
import { policyTexts } from './policy-texts.ts';
import type { PolicyValues } from './policy-values.ts';

const fieldWidth = 420;

interface PolicyFieldsProps {
  readonly value: PolicyValues;
  readonly onChange: (value: PolicyValues) => void;
  /** About the countries. */
  readonly error?: ReactNode;
}

export function PolicyFields({ value, onChange, error }: PolicyFieldsProps) {
  const t = useTexts(policyTexts);
  const set = (change: Partial<PolicyValues>) => onChange({ ...value, ...change });
  return (
    <Stack gap="sm">
      {(['deniesTraining', 'zdr'] as const).map((name) => (
        <Checkbox
          key={name}
          label={t(name)}
          checked={value[name]}
          onChange={(event) => set({ [name]: event.currentTarget.checked })}
        />
      ))}
      <TextInput
        label={t('countries')}
        description={t('countriesHint')}
        placeholder="DE, FR"
        maw={fieldWidth}
        spellCheck={false}
        autoComplete="off"
        value={value.countries}
        onChange={(event) => set({ countries: event.currentTarget.value })}
        error={error}
      />
      <ProviderFields value={value} set={set} />
    </Stack>
  );
}

/** Nothing if the catalogue names no provider. A chosen one that has left the catalogue can still be taken out. */
function ProviderFields({ value, set }: { value: PolicyValues; set: (change: Partial<PolicyValues>) => void }) {
  const t = useTexts(policyTexts);
  const { only, ignore } = value;
  const { data } = useQuery(dataPolicyQuery);
  const names = [...new Set([...(data?.providers ?? []), ...only, ...ignore])].sort();
  if (names.length === 0) return null;
  const without = (chosen: readonly string[]) => names.filter((name) => !chosen.includes(name));
  return (
    <>
      <MultiSelect
        label={t('only')}
        description={t('onlyHint')}
        data={without(ignore)}
        maw={fieldWidth}
        searchable
        clearable
        value={only}
        onChange={(chosen) => set({ only: chosen })}
      />
      <MultiSelect
        label={t('ignore')}
        data={without(only)}
        maw={fieldWidth}
        searchable
        clearable
        value={ignore}
        onChange={(chosen) => set({ ignore: chosen })}
      />
    </>
  );
}

/** Undefined if the error is about no country. `param` is what the API calls them. */
export function useCountryProblem(param: string): (error: unknown, values: PolicyValues) => string | undefined {
  const t = useTexts(policyTexts);
  return (error, { countries }) => {
    const entry = entryAtFault(error, param, countries);
    return entry === undefined ? undefined : t('badCountry', { entry });
  };
}
