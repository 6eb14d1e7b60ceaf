/** The dashboard checks company details as they are typed. It accepts exactly what the API accepts. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { checkCompany } from '../../../admin/accounts/profile/check-company.ts';
import { isVerified, problemOf } from '../../../dashboard/company/check-field.ts';
import {
  type CompanyField,
  type CompanyValues,
  fieldsOf,
  valuesOf,
} from '../../../dashboard/company/company-fields.ts';
import { GatewayError } from '../../../shared/errors.ts';

const right = {
  OOO: {
    companyName: 'ООО «Ромашка»',
    inn: '7707083893',
    kpp: '770701001',
    ogrn: '1027700132195',
    bik: '049805746',
    checkingAccount: '40602810700000000025',
    correspondentAccount: '30101810800000000746',
  },
  IP: {
    fullName: 'Иванова Анна Петровна',
    inn: '500100732259',
    ogrnip: '304500116000157',
    bik: '049805746',
    checkingAccount: '40602810700000000025',
  },
} as const;

const digit = fc.constantFrom(...'0123456789');
const spoil = fc.oneof(
  // One digit is changed, which every check digit detects, or the number stays the same.
  fc.tuple(fc.nat(), digit).map(([at, other]) => (text: string) => {
    const index = at % Math.max(text.length, 1);
    return text.slice(0, index) + other + text.slice(index + 1);
  }),
  fc.nat().map((at) => (text: string) => text.slice(0, at % (text.length + 1))),
  fc.string({ unit: digit, minLength: 9, maxLength: 20 }).map((text) => () => text),
  fc.string({ maxLength: 12 }).map((text) => () => text),
  fc
    .constantFrom('0000000000', '000000000000', '0000000000000', '7707A1001', '\u0007', 'x'.repeat(301), '')
    .map((text) => () => text),
);

function apiProblems(type: 'OOO' | 'IP', values: CompanyValues): string[] {
  try {
    const sent = Object.fromEntries(fieldsOf(type).map((field) => [field, values[field]]));
    checkCompany({ accountType: type, ...sent }, 'en');
    return [];
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return (error.problems ?? []).map(({ param }) => param).sort();
  }
}

/** The API reports `bik` as missing, and the form reports it at the account that needs it. */
function formProblems(type: 'OOO' | 'IP', values: CompanyValues): string[] {
  const places = fieldsOf(type).flatMap((field) => {
    const problem = problemOf(field, { type, values });
    return problem === undefined ? [] : [problem.kind === 'bikMissing' ? 'bik' : field];
  });
  return [...new Set(places)].sort();
}

test('the form finds a problem in the same fields as the API', () => {
  const changes = fc.array(fc.tuple(fc.nat(), spoil), { maxLength: 3 });
  fc.assert(
    fc.property(fc.constantFrom('OOO', 'IP'), changes, (type, spoiled) => {
      const fields = fieldsOf(type);
      const values: Record<CompanyField, string> = { ...valuesOf({ company: right[type] }) };
      for (const [at, change] of spoiled) {
        const field = fields[at % fields.length];
        if (field !== undefined) values[field] = change(values[field]);
      }
      expect(formProblems(type, values)).toEqual(apiProblems(type, values));
    }),
    { numRuns: 3_000 },
  );
});

test('only numbers with check digits count as verified, and accounts only with their BIK', () => {
  const values = valuesOf({ company: right.OOO });
  const verified = (changed: Partial<CompanyValues>) =>
    fieldsOf('OOO').filter((field) => isVerified(field, { type: 'OOO', values: { ...values, ...changed } }));
  expect(verified({})).toEqual(['inn', 'ogrn', 'checkingAccount', 'correspondentAccount']);
  expect(verified({ bik: '' })).toEqual(['inn', 'ogrn']);
  expect(verified({ bik: '04980574' })).toEqual(['inn', 'ogrn']);
});
