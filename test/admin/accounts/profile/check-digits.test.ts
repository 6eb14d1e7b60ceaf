/** Check digits detect every wrong digit in numbers that are known to be valid. */
import { describe, expect, test } from 'bun:test';
import {
  isCheckingAccount,
  isCompanyInn,
  isCorrespondentAccount,
  isOgrn,
  isOgrnip,
  isPersonInn,
} from '../../../../admin/accounts/profile/check-digits.ts';

const numbers: { name: string; good: string; isGood: (digits: string) => boolean; catchesAll: boolean }[] = [
  { name: 'INN of a company', good: '7707083893', isGood: isCompanyInn, catchesAll: false },
  { name: 'INN of a person', good: '500100732259', isGood: isPersonInn, catchesAll: false },
  { name: 'OGRN', good: '1027700132195', isGood: isOgrn, catchesAll: false },
  { name: 'OGRNIP', good: '304500116000157', isGood: isOgrnip, catchesAll: false },
  {
    name: 'checking account',
    good: '40602810700000000025',
    isGood: (account) => isCheckingAccount(account, '049805746'),
    catchesAll: true,
  },
  {
    name: 'correspondent account',
    good: '30101810800000000746',
    isGood: (account) => isCorrespondentAccount(account, '049805000'),
    catchesAll: true,
  },
];

/** Every number that differs from it in one digit. */
function* withOneWrongDigit(digits: string): Generator<string> {
  for (let index = 0; index < digits.length; index += 1) {
    for (let digit = 0; digit < 10; digit += 1) {
      if (String(digit) !== digits[index]) yield `${digits.slice(0, index)}${digit}${digits.slice(index + 1)}`;
    }
  }
}

describe.each(numbers)('$name', ({ good, isGood, catchesAll }) => {
  test('is valid as issued', () => expect(isGood(good)).toBe(true));

  test('is invalid with one wrong digit, except for the few that "mod 11 mod 10" cannot distinguish', () => {
    const wrong = [...withOneWrongDigit(good)];
    const missed = wrong.filter(isGood);
    expect(missed.length).toBeLessThanOrEqual(catchesAll ? 0 : wrong.length * 0.05);
  });
});

test('more numbers from public registers are accepted', () => {
  expect(['7830002293', '7736050003', '7728168971', '5024002119'].filter((inn) => !isCompanyInn(inn))).toEqual([]);
  expect(['1027700070518', '1037739010891', '1027700067328'].filter((ogrn) => !isOgrn(ogrn))).toEqual([]);
  expect(isCorrespondentAccount('30101810400000000225', '044525225')).toBe(true);
});

test('an account number of another bank is detected', () => {
  expect(isCheckingAccount('40602810700000000025', '049805747')).toBe(false);
});
