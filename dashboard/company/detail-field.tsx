/** One detail. A number is checked as soon as it has all its characters, or when its field is left. */
import { TextInput } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useTexts } from '../app/i18n/use-texts.ts';
import { isVerified, lengthOf, problemOf } from './check-field.ts';
import type { CompanyField } from './company-fields.ts';

import { companyTexts } from './company-texts.ts';
import type { CompanyFormState } from './use-company-form.ts';
import { useProblemText } from './use-problem-text.ts';

/** Names and addresses are long. */
const wide: readonly CompanyField[] = ['companyName', 'fullName', 'legalAddress', 'actualAddress', 'address'];
const accounts: readonly CompanyField[] = ['checkingAccount', 'correspondentAccount'];

export function DetailField({ field, form }: { field: CompanyField; form: CompanyFormState }) {
  const t = useTexts(companyTexts);
  const problemText = useProblemText();
  const type = form.values.accountType;
  const length = lengthOf(field, type);
  const hint =
    length === undefined ? undefined : t(field === 'kpp' ? 'kppCharacters' : 'characters', { count: length });
  const recheck = (name: CompanyField, values: CompanyFormState['values']) =>
    form.setFieldError(name, problemText(problemOf(name, { type, values })));
  const change = (text: string) => {
    // Numbers are often copied with spaces.
    const value = length === undefined ? text : text.replace(/\s/g, '');
    const values = { ...form.values, [field]: value };
    const isComplete = length !== undefined && value.length >= length;
    form.setFieldValue(field, value);
    if (isComplete) recheck(field, values);
    if (field === 'bik' && (value === '' || isComplete)) {
      for (const account of accounts) recheck(account, values);
    }
  };
  const mark = isVerified(field, { type, values: form.values }) ? (
    <IconCheck size={18} className="company-verified" role="img" aria-label={t('verified')} />
  ) : null;
  return (
    <TextInput
      label={t(field)}
      description={form.errors[field] ? undefined : hint}
      inputMode={length === undefined || field === 'kpp' ? 'text' : 'numeric'}
      autoComplete="off"
      rightSection={mark}
      className={wide.includes(field) ? 'company-wide' : undefined}
      // So that fields with and without a hint are in line.
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      {...form.getInputProps(field)}
      onChange={({ currentTarget }) => change(currentTarget.value)}
      onBlur={() => recheck(field, form.values)}
    />
  );
}
