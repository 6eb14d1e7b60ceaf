/**
 * The check digits of Russian registration and account numbers. Each function expects the right number of digits and
 * returns whether they match.
 *
 * INN: https://www.consultant.ru/document/cons_doc_LAW_134082/ (order of the tax service ММВ-7-6/435@); OGRN and OGRNIP:
 * order of the Ministry of Finance 165н; accounts: rules of the Bank of Russia 515 of 8 September 1997.
 */

const inn10Weights = [2, 4, 10, 3, 5, 9, 4, 6, 8];
const inn11Weights = [7, 2, 4, 10, 3, 5, 9, 4, 6, 8];
const inn12Weights = [3, ...inn11Weights];
const accountWeights = [7, 1, 3];

/** 10 digits. */
export function isCompanyInn(inn: string): boolean {
  return checkDigit(inn, inn10Weights) === digitAt(inn, 9);
}

/** 12 digits. */
export function isPersonInn(inn: string): boolean {
  return checkDigit(inn, inn11Weights) === digitAt(inn, 10) && checkDigit(inn, inn12Weights) === digitAt(inn, 11);
}

/** 13 digits. */
export function isOgrn(ogrn: string): boolean {
  return (Number(ogrn.slice(0, 12)) % 11) % 10 === digitAt(ogrn, 12);
}

/** 15 digits. */
export function isOgrnip(ogrnip: string): boolean {
  return (Number(ogrnip.slice(0, 14)) % 13) % 10 === digitAt(ogrnip, 14);
}

/** 20 digits, of an account with the bank that the BIK names. */
export function isCheckingAccount(account: string, bik: string): boolean {
  return isAccount(bik.slice(6, 9) + account);
}

/** 20 digits, of that bank's own account with the Bank of Russia. */
export function isCorrespondentAccount(account: string, bik: string): boolean {
  return isAccount(`0${bik.slice(4, 6)}${account}`);
}

function isAccount(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    sum += (digitAt(digits, index) * (accountWeights[index % accountWeights.length] ?? 0)) % 10;
  }
  return sum % 10 === 0;
}

function checkDigit(digits: string, weights: readonly number[]): number {
  const sum = weights.reduce((total, weight, index) => total + weight * digitAt(digits, index), 0);
  return (sum % 11) % 10;
}

function digitAt(digits: string, index: number): number {
  return Number(digits[index]);
}
