/** Reads company details as callers send them. The form is looked at whole, so that everything wrong is named at once. */
import { type FieldProblem, GatewayError } from '../../shared/errors.ts';
import type { Language } from '../http/preferred-language.ts';
import { checkCompanyField } from './check-company-field.ts';
import { isCheckingAccount, isCorrespondentAccount } from './check-digits.ts';
import {
  type AccountType,
  type CompanyDetails,
  type CompanyField,
  hasField,
  isAccountType,
  isCompanyField,
  noValues,
} from './company-fields.ts';
import { type CompanyMessages, companyMessages } from './company-messages.ts';

/**
 * What is not sent, null or blank is not known. Throws GatewayError `missing_parameter` or `invalid_parameter` with all
 * problems.
 */
export function checkCompany(body: unknown, language: Language): CompanyDetails {
  const messages = companyMessages[language];
  const { accountType, ...fields } = Object(body) as Record<string, unknown>;
  const problems: FieldProblem[] = [];
  if (accountType === undefined) {
    problems.push({ param: 'accountType', code: 'missing_parameter', message: messages.missing('accountType') });
  } else if (!isAccountType(accountType)) {
    problems.push({ param: 'accountType', code: 'invalid_parameter', message: messages.accountType() });
  }
  const type = isAccountType(accountType) ? accountType : undefined;
  const values = readFields(fields, { type, messages, problems });
  problems.push(...findAccountProblems(values, messages));
  const [first] = problems;
  if (first !== undefined) throw describeProblems(first, problems, messages);
  if (type === undefined) throw new Error('an account type that is neither wrong nor right');
  return { accountType: type, values: { ...noValues, ...values } };
}

/** Only those whose form is right. Without an account type nothing can be said about most of them. */
function readFields(
  fields: Readonly<Record<string, unknown>>,
  reading: { type: AccountType | undefined; messages: CompanyMessages; problems: FieldProblem[] },
): Partial<Record<CompanyField, string>> {
  const { type, messages, problems } = reading;
  const values: Partial<Record<CompanyField, string>> = {};
  const refuse = (param: string, message: string) => problems.push({ param, code: 'invalid_parameter', message });
  for (const [param, value] of Object.entries(fields)) {
    if (!isCompanyField(param)) refuse(param, messages.unknown(param));
    else if (type === undefined) continue;
    else if (!hasField(type, param)) refuse(param, messages.otherType(param, type));
    else if (value === null) continue;
    else if (typeof value !== 'string') refuse(param, messages.notText(param));
    else if (value.trim() !== '') {
      const trimmed = value.trim();
      const problem = checkCompanyField({ field: param, type, value: trimmed }, messages);
      if (problem === undefined) values[param] = trimmed;
      else refuse(param, problem);
    }
  }
  if ((values.checkingAccount ?? values.correspondentAccount) !== undefined && isBlank(fields.bik)) {
    problems.push({ param: 'bik', code: 'missing_parameter', message: messages.bikNeeded() });
  }
  return values;
}

/** An account's number agrees with the BIK of its bank. */
function findAccountProblems(values: Partial<Record<CompanyField, string>>, messages: CompanyMessages): FieldProblem[] {
  const { bik, checkingAccount, correspondentAccount } = values;
  if (bik === undefined) return [];
  const wrong: CompanyField[] = [];
  if (checkingAccount !== undefined && !isCheckingAccount(checkingAccount, bik)) wrong.push('checkingAccount');
  if (correspondentAccount !== undefined && !isCorrespondentAccount(correspondentAccount, bik)) {
    wrong.push('correspondentAccount');
  }
  return wrong.map((param) => ({ param, code: 'invalid_parameter', message: messages.accountCheck(param) }));
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}

function describeProblems(first: FieldProblem, problems: readonly FieldProblem[], messages: CompanyMessages) {
  const message = problems.length === 1 ? first.message : messages.several(problems.map(({ param }) => param));
  return new GatewayError(first.code, message, { param: first.param, problems });
}
