/**
 * Checks the company details that callers send. The whole form is checked, so that all problems are reported together.
 */
import { type FieldProblem, GatewayError } from '../../../shared/errors.ts';
import type { Language } from '../../../shared/languages.ts';
import { checkCompanyField } from './check-company-field.ts';
import { isCheckingAccount, isCorrespondentAccount } from './check-digits.ts';
import {
  type AccountType,
  type CompanyDetails,
  type CompanyField,
  type CompanyValues,
  hasField,
  isAccountType,
  isCompanyField,
  noValues,
} from './company-fields.ts';
import { type CompanyMessages, companyMessages } from './company-messages.ts';

type SentValues = Partial<Record<CompanyField, string | null>>;

const nothingKnown: CompanyDetails = { accountType: 'INDIVIDUAL', values: noValues };

/**
 * The details after the change: absent fields stay as they are, null or blank clears. When the account type changes,
 * only details that also apply to the new type stay. Throws GatewayError `missing_parameter` or `invalid_parameter`
 * with all problems.
 */
export function checkCompany(body: unknown, language: Language, before = nothingKnown): CompanyDetails {
  const messages = companyMessages[language];
  const { accountType = typeOf(before, body), ...fields } = Object(body) as Record<string, unknown>;
  const problems: FieldProblem[] = [];
  if (accountType === undefined) {
    problems.push({ param: 'accountType', code: 'missing_parameter', message: messages.missing('accountType') });
  } else if (!isAccountType(accountType)) {
    problems.push({ param: 'accountType', code: 'invalid_parameter', message: messages.accountType() });
  }
  const type = isAccountType(accountType) ? accountType : undefined;
  const sent = readFields(fields, { type, messages, problems });
  const values = { ...noValues, ...(type && keptValues(before, type)), ...sent };
  if (!problems.some(({ param }) => param === 'bik')) problems.push(...findAccountProblems(values, messages));
  const [first] = problems;
  if (first !== undefined) throw describeProblems(first, problems, messages);
  if (type === undefined) throw new Error('an account type that is neither valid nor refused');
  return { accountType: type, values };
}

/** An individual has no details, so details cannot be sent without an account type. */
function typeOf({ accountType }: CompanyDetails, body: unknown): AccountType | undefined {
  return accountType === 'INDIVIDUAL' || Object.keys(Object(body)).length === 0 ? undefined : accountType;
}

/** The taxpayer number has the same name in both types, but different forms. */
function keptValues({ accountType, values }: CompanyDetails, type: AccountType): SentValues {
  if (accountType === type) return values;
  const stays = ([field, value]: [string, string | null]) =>
    isCompanyField(field) &&
    hasField(type, field) &&
    value !== null &&
    checkCompanyField({ field, type, value }, companyMessages.en) === undefined;
  return Object.fromEntries(Object.entries(values).filter(stays));
}

/** Only those that have the right form. Without an account type most of them cannot be checked. */
function readFields(
  fields: Readonly<Record<string, unknown>>,
  reading: { type: AccountType | undefined; messages: CompanyMessages; problems: FieldProblem[] },
): SentValues {
  const { type, messages, problems } = reading;
  const values: SentValues = {};
  const refuse = (param: string, message: string) => problems.push({ param, code: 'invalid_parameter', message });
  for (const [param, value] of Object.entries(fields)) {
    if (!isCompanyField(param)) refuse(param, messages.unknown(param));
    else if (type === undefined) continue;
    else if (!hasField(type, param)) refuse(param, messages.otherType(param, type));
    else if (value !== null && typeof value !== 'string') refuse(param, messages.notText(param));
    else if (value === null || value.trim() === '') values[param] = null;
    else {
      const trimmed = value.trim();
      const problem = checkCompanyField({ field: param, type, value: trimmed }, messages);
      if (problem === undefined) values[param] = trimmed;
      else refuse(param, problem);
    }
  }
  return values;
}

/** An account number must match the BIK of its bank. */
function findAccountProblems(values: CompanyValues, messages: CompanyMessages): FieldProblem[] {
  const { bik, checkingAccount, correspondentAccount } = values;
  if (checkingAccount === null && correspondentAccount === null) return [];
  if (bik === null) return [{ param: 'bik', code: 'missing_parameter', message: messages.bikNeeded() }];
  const wrong: CompanyField[] = [];
  if (checkingAccount !== null && !isCheckingAccount(checkingAccount, bik)) wrong.push('checkingAccount');
  if (correspondentAccount !== null && !isCorrespondentAccount(correspondentAccount, bik)) {
    wrong.push('correspondentAccount');
  }
  return wrong.map((param) => ({ param, code: 'invalid_parameter', message: messages.accountCheck(param) }));
}

function describeProblems(first: FieldProblem, problems: readonly FieldProblem[], messages: CompanyMessages) {
  const message = problems.length === 1 ? first.message : messages.several(problems.map(({ param }) => param));
  return new GatewayError(first.code, message, { param: first.param, problems });
}
