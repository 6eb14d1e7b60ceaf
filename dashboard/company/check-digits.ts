/**
 * The check digits of Russian registration and account numbers, by the same public rules as the API applies. Each
 * function expects the right number of digits.
 *
 * INN: order of the tax service ММВ-7-6/435@. OGRN and OGRNIP: order of the Ministry of Finance 165н. Accounts: rules
 * of the Bank of Russia 515 of 8 September 1997.
 */

const companyWeights = [2, 4, 10, 3, 5, 9, 4, 6, 8];
const personWeights = [7, ...companyWeights];
const personLastWeights = [3, ...personWeights];
const accountWeights = [7, 1, 3];

/** 10 digits. */
export const isCompanyInn = (inn: string): boolean => endsInSum(inn, companyWeights);

/** 12 digits, of which two are check digits. */
export const isPersonInn = (inn: string): boolean =>
  endsInSum(inn.slice(0, 11), personWeights) && endsInSum(inn, personLastWeights);

/** 13 digits. */
export const isOgrn = (ogrn: string): boolean => endsInRemainder(ogrn, 11);

/** 15 digits. */
export const isOgrnip = (ogrnip: string): boolean => endsInRemainder(ogrnip, 13);

/** 20 digits, of an account with the bank of this BIK. */
export const isCheckingAccount = (account: string, bik: string): boolean => isAccount(bik.slice(6) + account);

/** 20 digits, of that bank's own account with the Bank of Russia. */
export const isCorrespondentAccount = (account: string, bik: string): boolean =>
  isAccount(`0${bik.slice(4, 6)}${account}`);

function endsInSum(number: string, weights: readonly number[]): boolean {
  const digits = digitsOf(number);
  const sum = weights.reduce((total, weight, index) => total + weight * (digits[index] ?? 0), 0);
  return (sum % 11) % 10 === digits.at(-1);
}

function endsInRemainder(number: string, divisor: number): boolean {
  return (Number(number.slice(0, -1)) % divisor) % 10 === digitsOf(number).at(-1);
}

function isAccount(number: string): boolean {
  const products = digitsOf(number).map((digit, index) => digit * (accountWeights[index % 3] ?? 0));
  return products.reduce((sum, product) => sum + (product % 10), 0) % 10 === 0;
}

const digitsOf = (number: string): number[] => Array.from(number, Number);
