/** Error messages about company details, in both languages. */
import type { Language } from '../../../shared/languages.ts';
import { type AccountType, accountTypes } from './company-fields.ts';

export interface CompanyMessages {
  missing(param: string): string;
  unknown(param: string): string;
  accountType(): string;
  otherType(param: string, type: AccountType): string;
  notText(param: string): string;
  length(param: string, max: number): string;
  digits(param: string, count: number): string;
  checkDigits(param: string): string;
  kpp(): string;
  accountCheck(param: string): string;
  bikNeeded(): string;
  several(params: readonly string[]): string;
}

const types = accountTypes.join(', ');

export const companyMessages: Record<Language, CompanyMessages> = {
  en: {
    missing: (param) => `Missing required parameter: '${param}'.`,
    unknown: (param) => `Unknown parameter: '${param}'.`,
    accountType: () => `Invalid value for 'accountType': expected one of ${types}.`,
    otherType: (param, type) => `'${param}' does not apply to an account of the type ${type}.`,
    notText: (param) => `Invalid value for '${param}': expected a string or null.`,
    length: (param, max) => `Invalid value for '${param}': expected 1 to ${max} characters on one line.`,
    digits: (param, count) => `Invalid value for '${param}': expected ${count} digits.`,
    checkDigits: (param) => `Invalid value for '${param}': its check digits do not match. Check for typos.`,
    kpp: () => "Invalid value for 'kpp': expected 9 characters: 4 digits, 2 digits or capital letters, 3 digits.",
    accountCheck: (param) => `Invalid value for '${param}': its check digit does not match the BIK.`,
    bikNeeded: () => "Missing required parameter: 'bik', which is needed to verify an account number.",
    several: (params) => `${params.length} parameters are wrong: ${params.join(', ')}.`,
  },
  ru: {
    missing: (param) => `Не указан обязательный параметр '${param}'.`,
    unknown: (param) => `Неизвестный параметр '${param}'.`,
    accountType: () => `Неверное значение 'accountType': ожидается одно из ${types}.`,
    otherType: (param, type) => `Параметр '${param}' не относится к типу аккаунта ${type}.`,
    notText: (param) => `Неверное значение '${param}': ожидается строка или null.`,
    length: (param, max) => `Неверное значение '${param}': ожидается от 1 до ${max} символов в одну строку.`,
    digits: (param, count) => `Неверное значение '${param}': количество цифр должно быть равно ${count}.`,
    checkDigits: (param) => `Неверное значение '${param}': контрольные цифры не сходятся, проверьте опечатки.`,
    kpp: () => "Неверное значение 'kpp': ожидается 9 знаков: 4 цифры, 2 цифры или заглавные латинские буквы, 3 цифры.",
    accountCheck: (param) => `Неверное значение '${param}': контрольный ключ счёта не сходится с БИК.`,
    bikNeeded: () => "Не указан обязательный параметр 'bik': без него номер счёта нельзя проверить.",
    several: (params) => `Параметры с ошибками (${params.length}): ${params.join(', ')}.`,
  },
};
