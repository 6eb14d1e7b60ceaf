/**
 * The seller's file is read completely: numbers keep their zeros, images are included, and every mistake is named in
 * one error.
 */
import { describe, expect, test } from 'bun:test';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSeller } from '../../../../admin/documents/seller/read-seller.ts';
import { ConfigurationError } from '../../../../shared/config/environment.ts';

const demoFile = join(import.meta.dir, '../../../../local/start/demo-seller.yaml');
const folder = mkdtempSync(join(tmpdir(), 'seller-'));

const company = {
  kind: 'OOO',
  name: 'ООО «Ромашка»',
  inn: '7700001235',
  kpp: '077001001',
  ogrn: '1237700000120',
  address: '101000, г. Москва, ул. Примерная, д. 1',
  bankName: 'АО «Банк»',
  bik: '044525999',
  checkingAccount: '40702810300000000123',
  correspondentAccount: '30101810600000000999',
  director: 'Иванов И. И.',
  accountant: 'Петрова А. С.',
  vat: '22',
  documentKind: 'upd',
};
const {
  kpp: _,
  ogrn: __,
  director: ___,
  accountant: ____,
  vat: _____,
  documentKind: ______,
  ...withoutTitles
} = company;
const person = {
  ...withoutTitles,
  kind: 'IP',
  name: 'Петров Пётр Сергеевич',
  inn: '770000123493',
  ogrnip: '323770000012345',
  checkingAccount: '40802810100000000456',
  vat: 'none',
};

function fileOf(text: string): string {
  const path = join(folder, `${crypto.randomUUID()}.yaml`);
  writeFileSync(path, text);
  return path;
}
const yamlOf = (fields: Record<string, string>) =>
  fileOf(
    Object.entries(fields)
      .map(([key, value]) => `${key}: ${value}\n`)
      .join(''),
  );

function problemsOf(path: string): string[] {
  try {
    readSeller(path);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const begin = `SELLER_FILE ${path}: `;
    expect(error.problems.filter((problem) => !problem.startsWith(begin))).toEqual([]);
    return error.problems.map((problem) => problem.slice(begin.length));
  }
  throw new Error('nothing was refused');
}
const problemsWith = (change: Record<string, string>, base: Record<string, string> = company) =>
  problemsOf(yamlOf({ ...base, ...change }));

describe("the seller's file accepts", () => {
  test('a company with unquoted numbers, which keep leading zeros and last digits', () => {
    const { vat, documentKind, ...party } = company;
    expect(readSeller(yamlOf(company))).toEqual({ party: { ...party, kind: 'OOO' }, vat: '22', documentKind: 'upd' });
  });

  test('a sole proprietor without VAT, who issues acts unless the file says otherwise', () => {
    const { vat, ogrnip, ...party } = person;
    expect(readSeller(yamlOf(person))).toEqual({
      party: { ...party, kind: 'IP', ogrn: ogrnip },
      documentKind: 'act',
    });
  });

  test('a first day of paying VAT', () => {
    expect(readSeller(yamlOf({ ...company, vatSince: '2030-01-01' }))).toMatchObject({
      vat: '22',
      vatSince: '2030-01-01',
    });
  });

  test('the seller of the demonstration', () => {
    expect(readSeller(demoFile)).toMatchObject({ party: { kind: 'OOO', bik: '044525999' }, vat: '22' });
  });

  test('images whose paths are relative to the file', () => {
    const png = Uint8Array.fromBase64(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=',
    );
    const jpeg = Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 1, 2, 3, 0xff, 0xd9);
    writeFileSync(join(folder, 'stamp.png'), png);
    writeFileSync(join(folder, 'signature.jpg'), jpeg);
    const { stamp, signature } = readSeller(yamlOf({ ...company, stamp: 'stamp.png', signature: './signature.jpg' }));
    expect(stamp).toEqual(Buffer.from(png));
    expect(signature).toEqual(Buffer.from(jpeg));
  });
});

describe("the seller's file refuses", () => {
  test('every missing or blank field, in one error', () => {
    expect(problemsOf(yamlOf({ kind: 'OOO', vat: '', name: '' }))).toEqual([
      "'vat' is missing: none, or a rate in percent such as 22.",
      ...[
        ...['name', 'kpp', 'ogrn', 'address', 'director', 'inn', 'bankName', 'bik'],
        ...['checkingAccount', 'correspondentAccount'],
      ].map((key) => `'${key}' is missing.`),
    ]);
    expect(problemsOf(yamlOf({ vat: 'none' }))).toEqual(["'kind' is missing: one of OOO, IP."]);
  });

  test('every wrong value under its own name, in one error', () => {
    expect(
      problemsWith({
        name: 'x'.repeat(301),
        inn: '7700001236',
        kpp: '77001001',
        ogrn: '1237700000121',
        checkingAccount: '40702810300000000124',
        correspondentAccount: '30101',
        vat: '022',
        documentKind: 'invoice',
        colour: 'red',
      }),
    ).toEqual([
      "Invalid value for 'documentKind': expected one of act, upd.",
      "Invalid value for 'vat': expected none, or a rate in percent such as 22.",
      "Invalid value for 'name': expected 1 to 300 characters on one line.",
      "Invalid value for 'kpp': expected 9 characters: 4 digits, 2 digits or capital letters, 3 digits.",
      "Invalid value for 'ogrn': its check digits do not match. Check for typos.",
      "Invalid value for 'inn': its check digits do not match. Check for typos.",
      "Invalid value for 'correspondentAccount': expected 20 digits.",
      "Invalid value for 'checkingAccount': its check digit does not match the BIK.",
      "'colour' is not a known field.",
    ]);
  });

  test.each([
    ['a company with the number of a sole proprietor', { ogrnip: '323770000012345' }, company, 'OOO', 'ogrnip'],
    ['a sole proprietor with the code of a company', { kpp: '770001001' }, person, 'IP', 'kpp'],
  ] as const)('%s', (_name, change, base, kind, key) => {
    expect(problemsWith(change, base)).toEqual([`'${key}' does not apply to the kind ${kind}.`]);
  });

  test.each(['0', '-1', '100', '22%', '22.50', '22,5', 'yes', 'NONE'])('%s as VAT', (vat) => {
    expect(problemsWith({ vat })).toEqual(["Invalid value for 'vat': expected none, or a rate in percent such as 22."]);
  });

  test('a first day of paying VAT that does not exist, or one without VAT', () => {
    expect(problemsWith({ vatSince: '2030-02-30' })).toEqual([
      "Invalid value for 'vatSince': expected a day such as 2030-01-01.",
    ]);
    expect(problemsWith({ vatSince: '2030-01-01' }, person)).toEqual(["'vatSince' needs a rate of VAT in 'vat'."]);
  });

  test('images that are missing, of another format, truncated or too large', () => {
    const put = (name: string, bytes: Uint8Array) => {
      writeFileSync(join(folder, name), bytes);
      return problemsWith({ stamp: name });
    };
    expect(problemsWith({ stamp: 'nowhere.png' })[0]).toStartWith("'stamp' names a file that cannot be read: ");
    expect(put('a.gif', Buffer.from('GIF89a'))).toEqual(["'stamp' must be a PNG or JPEG image."]);
    expect(put('b.jpg', Uint8Array.of(0xff, 0xd8, 0xff, 0xe0))).toEqual(["'stamp' is an incomplete image."]);
    expect(put('c.png', new Uint8Array(2 * 1024 * 1024 + 1))).toEqual(["'stamp' must be an image of at most 2 MiB."]);
  });

  test('a file that is missing, not YAML, or something other than fields of text', () => {
    expect(problemsOf(join(folder, 'nowhere.yaml'))[0]).toStartWith('The file cannot be read: ');
    expect(problemsOf(fileOf('kind: ['))[0]).toStartWith('The file is not YAML: line 1: ');
    expect(problemsOf(fileOf('kind: OOO\nkind: IP\n'))).toEqual(['line 2: kind appears twice in one mapping']);
    expect(problemsOf(fileOf('- kind\n'))).toEqual(['The file must consist of fields such as `kind: OOO`.']);
    expect(problemsOf(fileOf('kind: [OOO]\nname: { a: b }\n'))).toEqual([
      "Invalid value for 'kind': expected text.",
      "Invalid value for 'name': expected text.",
    ]);
  });
});
