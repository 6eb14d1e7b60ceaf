/** The whole company form is checked: every wrong field is named, in the reader's language, and valid forms pass. */
import { describe, expect, test } from 'bun:test';
import { checkCompany } from '../../../../admin/accounts/profile/check-company.ts';
import { GatewayError } from '../../../../shared/errors.ts';

const company = {
  accountType: 'OOO',
  companyName: 'ООО «Ромашка»',
  inn: '7707083893',
  kpp: '7707AB001',
  ogrn: '1027700132195',
  legalAddress: 'Москва, ул. Вавилова, 19',
  actualAddress: 'Москва, ул. Вавилова, 19',
  directorName: 'Иванова Анна Петровна',
  bankName: 'Банк',
  bik: '049805746',
  checkingAccount: '40602810700000000025',
  correspondentAccount: '30101810800000000746',
};
const person = {
  accountType: 'IP',
  fullName: 'Петров Пётр',
  inn: '500100732259',
  ogrnip: '304500116000157',
  address: 'Тула',
  bankName: 'Банк',
  bik: '049805746',
  checkingAccount: '40602810700000000025',
  correspondentAccount: '30101810800000000746',
};

function refusal(body: unknown, language: 'en' | 'ru' = 'en'): GatewayError {
  try {
    checkCompany(body, language);
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}
const paramsOf = (body: unknown) => refusal(body).problems?.map(({ param }) => param);

describe('a valid form', () => {
  test('the form accepts all fields of a company, and of a sole proprietor', () => {
    for (const body of [company, person]) {
      const { accountType, ...values } = body;
      expect(checkCompany(body, 'en')).toMatchObject({ accountType, values });
    }
  });

  test('the form accepts some fields, with the others null, blank or absent', () => {
    const { values } = checkCompany({ accountType: 'OOO', inn: ' 7707083893 ', kpp: null, bik: '  ' }, 'en');
    expect(Object.entries(values).filter(([, value]) => value !== null)).toEqual([['inn', '7707083893']]);
  });

  test('the form accepts an individual without details', () => {
    expect(checkCompany({ accountType: 'INDIVIDUAL' }, 'en').accountType).toBe('INDIVIDUAL');
  });
});

describe('an invalid form', () => {
  const wrong: [string, string, unknown][] = [
    ['OOO', 'companyName', 'x'.repeat(301)],
    ['OOO', 'companyName', 'a\u0000b'],
    ['OOO', 'companyName', 'a\nb'],
    ['OOO', 'companyName', 5],
    ['OOO', 'inn', '7707083894'],
    ['OOO', 'inn', '770708389'],
    ['OOO', 'inn', '500100732259'],
    ['OOO', 'inn', '0000000000'],
    ['OOO', 'inn', '77070838-3'],
    ['OOO', 'inn', '７７０７０８３８９３'],
    ['OOO', 'inn', 7707083893],
    ['OOO', 'inn', ['7707083893']],
    ['OOO', 'kpp', '770A01001'],
    ['OOO', 'kpp', '7707ab001'],
    ['OOO', 'kpp', '7707010011'],
    ['OOO', 'ogrn', '1027700132196'],
    ['OOO', 'ogrn', '304500116000157'],
    ['OOO', 'ogrn', '0000000000000'],
    ['OOO', 'legalAddress', 'x'.repeat(501)],
    ['OOO', 'actualAddress', {}],
    ['OOO', 'directorName', true],
    ['OOO', 'bankName', 'x'.repeat(301)],
    ['OOO', 'checkingAccount', '40602810700000000026'],
    ['OOO', 'checkingAccount', '4060281070000000002'],
    ['OOO', 'correspondentAccount', '30101810800000000747'],
    ['IP', 'inn', '7707083893'],
    ['IP', 'inn', '500100732258'],
    ['IP', 'inn', '000000000000'],
    ['IP', 'ogrnip', '304500116000158'],
    ['IP', 'ogrnip', '1027700132195'],
    ['IP', 'fullName', 'x'.repeat(301)],
    ['IP', 'address', 7],
  ];
  test.each(wrong)('the form of an %s with a wrong %s is refused: %p', (type, field, value) => {
    const error = refusal({ ...(type === 'OOO' ? company : person), [field]: value });
    expect(error).toMatchObject({ status: 400, code: 'invalid_parameter', param: field });
    expect(error.problems).toEqual([{ param: field, code: 'invalid_parameter', message: error.message }]);
    expect(error.message).toContain(`'${field}'`);
  });

  test('a wrong BIK is the only error, because the accounts cannot be checked without it', () => {
    expect(paramsOf({ ...company, bik: '04980574' })).toEqual(['bik']);
    expect(paramsOf({ ...company, bik: '000000000' })).toEqual(['bik']);
  });

  test('another bank’s BIK is reported for both account numbers', () => {
    expect(paramsOf({ ...company, bik: '040702615' })).toEqual(['checkingAccount', 'correspondentAccount']);
  });

  test('an account number without a BIK is refused because the BIK is missing', () => {
    const error = refusal({ accountType: 'IP', checkingAccount: company.checkingAccount });
    expect(error).toMatchObject({ code: 'missing_parameter', param: 'bik' });
  });

  test('every field that belongs to the other account type is refused', () => {
    const { accountType: _, ...fieldsOfPerson } = person;
    expect(paramsOf({ ...fieldsOfPerson, accountType: 'OOO', inn: company.inn })).toEqual([
      'fullName',
      'ogrnip',
      'address',
    ]);
    expect(paramsOf({ ...company, accountType: 'IP', inn: person.inn })).toEqual([
      'companyName',
      'kpp',
      'ogrn',
      'legalAddress',
      'actualAddress',
      'directorName',
    ]);
    expect(paramsOf({ accountType: 'INDIVIDUAL', inn: company.inn, kpp: null })).toEqual(['inn', 'kpp']);
  });

  test('unknown fields are refused, including those that every object inherits', () => {
    const body = JSON.parse(
      '{"accountType": "OOO", "accountId": 1, "role": "operator", "__proto__": {}, "toString": "x"}',
    );
    expect(paramsOf(body)?.sort()).toEqual(['__proto__', 'accountId', 'role', 'toString']);
  });

  test.each([[undefined], [null], ['ooo'], ['LLC'], [5], [['OOO']]])(
    'an account type of %p is refused',
    (accountType) => {
      const error = refusal({ ...(accountType !== undefined && { accountType }), inn: 'x' });
      expect(error.code).toBe(accountType === undefined ? 'missing_parameter' : 'invalid_parameter');
      expect(error.problems?.map(({ param }) => param)).toEqual(['accountType']);
    },
  );

  test('all problems are reported in one error, in the order of the form', () => {
    const error = refusal({ ...company, inn: '1', kpp: '2', ogrn: 3, fullName: 'x', unknown: 1, checkingAccount: '4' });
    expect(error.problems?.map(({ param }) => param)).toEqual([
      'inn',
      'kpp',
      'ogrn',
      'checkingAccount',
      'fullName',
      'unknown',
    ]);
    expect(error.message).toContain('inn, kpp, ogrn, checkingAccount, fullName, unknown');
    expect(error.param).toBe('inn');
  });
});

test('messages in the Russian form are all in Russian', () => {
  const bodies: object[] = [
    {},
    { accountType: 'X' },
    { ...company, inn: '7707083894' },
    { ...company, inn: '1', kpp: '2', ogrn: 3, fullName: 'x', unknown: 1, companyName: 'x'.repeat(999) },
    { ...company, bik: '040702615' },
    { accountType: 'OOO', checkingAccount: company.checkingAccount },
  ];
  for (const body of bodies) {
    const error = refusal(body, 'ru');
    for (const message of [error.message, ...(error.problems ?? []).map((problem) => problem.message)]) {
      expect(message).toMatch(/^[А-Я]/);
    }
    expect(error.problems?.map(({ param }) => param)).toEqual(paramsOf(body) ?? []);
  }
});

test('no message repeats the submitted value', () => {
  const error = refusal({ ...company, inn: 'canary-1', kpp: 'canary-2', 'canary-free': 1, bik: 'canary-3' });
  expect(JSON.stringify(error.problems)).not.toMatch(/canary-\d/);
});
