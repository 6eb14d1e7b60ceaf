/** Checks a single company detail. */
import { isCompanyInn, isOgrn, isOgrnip, isPersonInn } from './check-digits.ts';
import type { AccountType, CompanyField } from './company-fields.ts';
import type { CompanyMessages } from './company-messages.ts';

interface FieldInput {
  readonly field: CompanyField;
  readonly type: AccountType;
  readonly value: string;
}

type Check = (input: FieldInput, messages: CompanyMessages) => string | undefined;

const kppPattern = /^\d{4}[\dA-Z]{2}\d{3}$/;
/** None of these texts needs control characters, and Postgres refuses some. */
const oneLine = /^[^\p{Cc}\u2028\u2029]*$/u;
const nameMaxLength = 300;
const addressMaxLength = 500;

/** The longest names and addresses; numbers have a length of their own. */
export const textMaxLengths = {
  companyName: nameMaxLength,
  fullName: nameMaxLength,
  directorName: nameMaxLength,
  bankName: nameMaxLength,
  legalAddress: addressMaxLength,
  actualAddress: addressMaxLength,
  address: addressMaxLength,
} as const satisfies Partial<Record<CompanyField, number>>;

const checks: Record<CompanyField, Check> = {
  companyName: text(textMaxLengths.companyName),
  fullName: text(textMaxLengths.fullName),
  directorName: text(textMaxLengths.directorName),
  bankName: text(textMaxLengths.bankName),
  legalAddress: text(textMaxLengths.legalAddress),
  actualAddress: text(textMaxLengths.actualAddress),
  address: text(textMaxLengths.address),
  inn: (input, messages) =>
    input.type === 'OOO' ? digits(10, isCompanyInn)(input, messages) : digits(12, isPersonInn)(input, messages),
  kpp: ({ value }, messages) => (kppPattern.test(value) ? undefined : messages.kpp()),
  ogrn: digits(13, isOgrn),
  ogrnip: digits(15, isOgrnip),
  bik: digits(9),
  checkingAccount: digits(20),
  correspondentAccount: digits(20),
};

/** The problem, or undefined. Only the form of account numbers is checked here; see check-company.ts for the rest. */
export function checkCompanyField(input: FieldInput, messages: CompanyMessages): string | undefined {
  return checks[input.field](input, messages);
}

function text(max: number): Check {
  return ({ field, value }, messages) =>
    value.length <= max && oneLine.test(value) ? undefined : messages.length(field, max);
}

/** All zeros satisfy every check digit, but are no one's number. */
function digits(count: number, agree: (value: string) => boolean = () => true): Check {
  return ({ field, value }, messages) => {
    if (value.length !== count || !/^\d+$/.test(value)) return messages.digits(field, count);
    return /^0+$/.test(value) || !agree(value) ? messages.checkDigits(field) : undefined;
  };
}
