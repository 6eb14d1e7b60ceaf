/** Checks a company detail as it is typed, by the rules that the API applies when it is saved. */
import { limits } from '../generated/limits.ts';
import {
  isCheckingAccount,
  isCompanyInn,
  isCorrespondentAccount,
  isOgrn,
  isOgrnip,
  isPersonInn,
} from './check-digits.ts';
import type { AccountType, CompanyField, CompanyValues } from './company-fields.ts';

export type FieldProblem =
  | { readonly kind: 'digits' | 'long'; readonly count: number }
  | { readonly kind: 'checkDigits' | 'kpp' | 'account' | 'bikMissing' };

interface Checked {
  readonly type: AccountType;
  readonly values: CompanyValues;
}

const kppPattern = /^\d{4}[\dA-Z]{2}\d{3}$/;
const oneLine = /^[^\p{Cc}\u2028\u2029]*$/u;
const bikLength = 9;
const { companyNameMax: nameMaxLength, companyAddressMax: addressMaxLength } = limits;
const maxLengths = {
  companyName: nameMaxLength,
  fullName: nameMaxLength,
  directorName: nameMaxLength,
  bankName: nameMaxLength,
  legalAddress: addressMaxLength,
  actualAddress: addressMaxLength,
  address: addressMaxLength,
} as const;

/** How many characters a number has; undefined for names and addresses. */
export function lengthOf(field: CompanyField, type: AccountType): number | undefined {
  const lengths: Partial<Record<CompanyField, number>> = {
    inn: type === 'OOO' ? 10 : 12,
    kpp: 9,
    ogrn: 13,
    ogrnip: 15,
    bik: bikLength,
    checkingAccount: 20,
    correspondentAccount: 20,
  };
  return lengths[field];
}

/** Undefined for a detail that is right, or empty: details can be filled in step by step. */
export function problemOf(field: CompanyField, { type, values }: Checked): FieldProblem | undefined {
  const value = values[field].trim();
  if (value === '') return undefined;
  switch (field) {
    case 'inn':
      return digits(value, lengthOf(field, type), type === 'OOO' ? isCompanyInn : isPersonInn);
    case 'ogrn':
      return digits(value, lengthOf(field, type), isOgrn);
    case 'ogrnip':
      return digits(value, lengthOf(field, type), isOgrnip);
    case 'bik':
      return digits(value, bikLength);
    case 'kpp':
      return kppPattern.test(value) ? undefined : { kind: 'kpp' };
    case 'checkingAccount':
      return account(value, values.bik.trim(), isCheckingAccount);
    case 'correspondentAccount':
      return account(value, values.bik.trim(), isCorrespondentAccount);
    default:
      return value.length <= maxLengths[field] && oneLine.test(value)
        ? undefined
        : { kind: 'long', count: maxLengths[field] };
  }
}

/** Whether the check digits of what is typed were verified, and match. */
export function isVerified(field: CompanyField, checked: Checked): boolean {
  const verifiable: readonly CompanyField[] = ['inn', 'ogrn', 'ogrnip', 'checkingAccount', 'correspondentAccount'];
  if (!verifiable.includes(field) || checked.values[field].trim() === '') return false;
  const needsBik = field === 'checkingAccount' || field === 'correspondentAccount';
  if (needsBik && problemOf('bik', checked) !== undefined) return false;
  return problemOf(field, checked) === undefined;
}

/** All zeros satisfy every check digit, but are no one's number. */
function digits(value: string, count = 0, agree?: (value: string) => boolean): FieldProblem | undefined {
  if (value.length !== count || !/^\d+$/.test(value)) return { kind: 'digits', count };
  return /^0+$/.test(value) || agree?.(value) === false ? { kind: 'checkDigits' } : undefined;
}

/** Without a right BIK, only the form of an account can be checked. */
function account(value: string, bik: string, agree: (account: string, bik: string) => boolean) {
  const problem = digits(value, 20);
  if (problem !== undefined) return problem;
  if (bik === '') return { kind: 'bikMissing' } as const;
  if (digits(bik, bikLength) !== undefined || agree(value, bik)) return undefined;
  return { kind: 'account' } as const;
}
