/** One detail. */
import { TextInput } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { memo, type ReactNode } from 'react';
import { useTexts } from '../app/i18n/use-texts.ts';
import { lengthOf } from './check-field.ts';
import type { AccountType, CompanyField } from './company-fields.ts';
import { companyTexts } from './company-texts.ts';

/** Names and addresses are long. */
const wide: readonly CompanyField[] = ['companyName', 'fullName', 'legalAddress', 'actualAddress', 'address'];

interface DetailFieldProps {
  readonly field: CompanyField;
  readonly type: AccountType;
  readonly value: string;
  readonly error: ReactNode;
  readonly isVerified: boolean;
  readonly onType: (field: CompanyField, text: string) => void;
  readonly onLeave: (field: CompanyField) => void;
}

/** A letter that is typed into one draws none of the others. */
export const DetailField = memo(function DetailField({
  field,
  type,
  value,
  error,
  isVerified,
  onType,
  onLeave,
}: DetailFieldProps) {
  const t = useTexts(companyTexts);
  const length = lengthOf(field, type);
  const hint =
    length === undefined ? undefined : t(field === 'kpp' ? 'kppCharacters' : 'characters', { count: length });
  const mark = isVerified ? (
    <IconCheck size={18} className="company-verified" role="img" aria-label={t('verified')} />
  ) : null;
  return (
    <TextInput
      label={t(field)}
      value={value}
      error={error}
      description={error ? undefined : hint}
      inputMode={length === undefined || field === 'kpp' ? 'text' : 'numeric'}
      autoComplete="off"
      rightSection={mark}
      className={wide.includes(field) ? 'company-wide' : undefined}
      // So that fields with and without a hint are in line.
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      onChange={({ currentTarget }) => onType(field, currentTarget.value)}
      onBlur={() => onLeave(field)}
    />
  );
});
