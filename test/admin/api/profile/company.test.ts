/** PUT /api/profile/details: one response names all mistakes, and absent fields stay. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { companyBody } from '../../../../admin/api/profile/profile-schemas.ts';
import { exampleOf } from '../../../../shared/openapi/example-of.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import type { ChangedDetails, Profile } from '../response-types.ts';
import { type Api, register, startApi } from '../start-api.ts';

const companyExample = exampleOf(companyBody);

let harness: Harness;
let api: Api;
let token: string;
beforeAll(async () => {
  harness = await startHarness();
  api = await startApi(harness);
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

const { accountType: _, ...companyFields } = companyExample;
const put = (body: object | string, headers?: Record<string, string>) =>
  api.call<ChangedDetails>('PUT', '/api/profile/details', { token, body, ...(headers && { headers }) });
const profile = async () => (await api.call<Profile>('GET', '/api/profile', { token })).body;
const withNewUser = async () => {
  token = (await register(api)).token;
};

describe('a valid change of company details', () => {
  beforeAll(withNewUser);

  test('is stored, and the response is the current profile', async () => {
    const { status, body } = await put(companyExample);
    expect(status).toBe(200);
    expect(body).toMatchObject({ accountType: 'OOO', company: companyFields, dropped: [] });
    const { dropped, ...rest } = body;
    expect(await profile()).toEqual(rest);
  });

  test('keeps absent fields, clears null ones, and reports nothing as dropped', async () => {
    const { body } = await put({ companyName: 'ООО «Лютик»', kpp: null, legalAddress: ' ' });
    const company = { ...companyFields, companyName: 'ООО «Лютик»', kpp: null, legalAddress: null };
    expect(body).toMatchObject({ accountType: 'OOO', company, dropped: [] });
    const { body: same } = await put({ accountType: 'OOO', ...companyFields });
    expect(same).toMatchObject({ company: companyFields, dropped: [] });
  });

  test('checks an account number against the stored BIK, and a BIK against the stored numbers', async () => {
    const other = await put({ checkingAccount: '40602810700000000026' });
    expect(other.error).toMatchObject({ code: 'invalid_parameter', param: 'checkingAccount' });
    expect((await put({ bik: '040702615' })).error?.errors?.map(({ param }) => param)).toEqual([
      'checkingAccount',
      'correspondentAccount',
    ]);
    expect((await put({ bik: null })).error).toMatchObject({ code: 'missing_parameter', param: 'bik' });
    expect((await profile()).company).toEqual(companyFields);
  });

  test('drops details that no longer apply to another account type', async () => {
    await put(companyExample);
    const { bankName, bik, checkingAccount, correspondentAccount } = companyFields;
    const bank = { bankName, bik, checkingAccount, correspondentAccount };
    const { body } = await put({ accountType: 'IP', fullName: 'Петров Пётр' });
    const company = { fullName: 'Петров Пётр', inn: null, ogrnip: null, ...bank };
    expect(body).toMatchObject({ accountType: 'IP', company });
    const dropped = ['companyName', 'inn', 'kpp', 'ogrn', 'legalAddress', 'actualAddress', 'directorName'];
    expect(body.dropped.sort()).toEqual(dropped.sort());
    const individual = await put({ accountType: 'INDIVIDUAL' });
    expect(individual.body.company).toBeNull();
    expect(individual.body.dropped.sort()).toEqual(['fullName', ...Object.keys(bank)].sort());
    expect(await profile()).toMatchObject({ accountType: 'INDIVIDUAL', company: null });
  });

  test('reports what it dropped, and two concurrent changes report nothing twice', async () => {
    await put(companyExample);
    const responses = await Promise.all(Array.from({ length: 6 }, () => put({ accountType: 'INDIVIDUAL' })));
    const dropped = responses.flatMap(({ body }) => body.dropped);
    expect(dropped.sort()).toEqual(Object.keys(companyFields).sort());
  });
});

describe('a 400 for company details', () => {
  beforeAll(withNewUser);

  test('names every wrong field in one response, and changes nothing', async () => {
    const before = await profile();
    const wrong = { inn: '7707083894', kpp: 'x', ogrn: 7, bik: '1', fullName: 'Петров' };
    const { status, error } = await put({ ...companyExample, ...wrong });
    expect(status).toBe(400);
    expect(error).toMatchObject({ type: 'invalid_request_error', code: 'invalid_parameter', param: 'inn' });
    expect(error?.errors?.map(({ param }) => param)).toEqual(Object.keys(wrong));
    for (const problem of error?.errors ?? []) {
      expect(problem).toEqual({ param: expect.any(String), code: 'invalid_parameter', message: expect.any(String) });
    }
    expect(await profile()).toEqual(before);
  });

  test('is in Russian if the client prefers it', async () => {
    const body = { accountType: 'OOO', inn: '1' };
    const english = await put(body);
    const russian = await put(body, { 'accept-language': 'ru-RU,ru;q=0.9,en;q=0.8' });
    expect(english.error?.message).toStartWith('Invalid value');
    expect(russian.error?.message).toStartWith('Неверное значение');
    expect(russian.error).toMatchObject({ code: english.error?.code, param: 'inn' });
    expect(russian.headers.get('vary')).toBe('accept-language');
  });

  test.each([
    ['missing_parameter', 'accountType', {}],
    ['missing_parameter', 'accountType', { inn: '7707083893' }],
    ['invalid_parameter', 'accountType', { accountType: 'LLC' }],
    ['invalid_parameter', 'role', { accountType: 'INDIVIDUAL', role: 'operator' }],
    ['invalid_parameter', 'accountId', { accountType: 'INDIVIDUAL', accountId: 1 }],
    ['invalid_parameter', 'inn', { accountType: 'INDIVIDUAL', inn: '7707083893' }],
  ])('has the code %s and names %s', async (code, param, body) => {
    const response = await put(body);
    expect(response.status).toBe(400);
    expect(response.error).toMatchObject({ code, param });
  });

  test.each(['[]', '"x"', 'null', '{'])('is invalid_json for the body %s', async (text) => {
    expect((await put(text)).error?.code).toBe('invalid_json');
  });
});
