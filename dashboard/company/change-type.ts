/** What a change of the account type does to the details. */
import { problemOf } from './check-field.ts';
import { type AccountType, type CompanyField, type CompanyValues, fieldsOf } from './company-fields.ts';

interface Details {
  readonly type: AccountType;
  readonly values: CompanyValues;
}

/** The INN has another length in each type: the saved one returns with its type, another one is cleared. */
export function innAfter(type: AccountType, { saved, typed }: { saved: Details; typed: CompanyValues }): string {
  const isRight = typed.inn !== '' && problemOf('inn', { type, values: typed }) === undefined;
  if (type === 'INDIVIDUAL' || isRight) return typed.inn;
  return saved.type === type ? saved.values.inn : '';
}

/** The saved details that are lost if `next` is saved. Without a change of the type, the user empties fields knowingly. */
export function droppedBy(saved: Details, next: Details): readonly CompanyField[] {
  if (saved.type === next.type) return [];
  const staying = fieldsOf(next.type);
  return fieldsOf(saved.type).filter(
    (field) => saved.values[field] !== '' && (!staying.includes(field) || next.values[field].trim() === ''),
  );
}
