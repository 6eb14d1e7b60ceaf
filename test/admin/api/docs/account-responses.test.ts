/** The check of every response in the API's tests against the document finds what it should. */
import { expect, test } from 'bun:test';
import { undocumented } from '../../../harness/openapi/account-responses.ts';

const json = new Headers({ 'content-type': 'application/json; charset=utf-8' });
const refusal = (code: string) => ({ error: { message: '', type: 'invalid_request_error', code, param: null } });
const key = {
  id: 1,
  name: 'one',
  prefix: 'mk-00aaaaaa',
  active: true,
  state: 'active',
  createdAt: '2030-01-01T00:00:00.000Z',
  expiresAt: null,
};
const keys = (members: object) => ({ status: 200, headers: json, body: { keys: [{ ...key, ...members }] } });

test('a documented response passes', () => {
  expect(undocumented('GET', 'http://127.0.0.1:1/api/billing-keys?x=1', keys({}))).toEqual([]);
  expect(undocumented('DELETE', '/api/keys/7', { status: 204, headers: new Headers(), body: '' })).toEqual([]);
  expect(undocumented('DELETE', '/api/keys/7', { status: 404, headers: json, body: refusal('not_found') })).toEqual([]);
  expect(undocumented('GET', '/api/of-tomorrow', { status: 200, headers: json, body: {} })).toEqual([]);
});

test.each([
  ['another code', 'DELETE', '/api/keys/7', { status: 404, headers: json, body: refusal('model_not_found') }],
  ['another status', 'DELETE', '/api/keys/7', { status: 402, headers: json, body: refusal('not_found') }],
  [
    'another media type',
    'GET',
    '/api/billing-keys',
    { status: 200, headers: new Headers({ 'content-type': 'text/plain' }), body: 'x' },
  ],
  ['an additional member', 'GET', '/api/billing-keys', keys({ keyHash: 'x' })],
  ['a member of another type', 'GET', '/api/billing-keys', keys({ id: '1' })],
  ['an undocumented null', 'GET', '/api/billing-keys', keys({ name: null })],
] as const)('a response with %s is reported', (_what, method, path, response) => {
  expect(undocumented(method, path, response)).toHaveLength(1);
});

test('an amount that differs from its decimal string is reported', () => {
  const balance = { balance: 1, balanceUsd: '1', available: 1, availableUsd: '1', reserved: 0, reservedUsd: '0' };
  const rubles = {
    balanceRub: 90,
    balanceRubDecimal: '90',
    rubRate: { perUsd: '90', date: null, source: 'configured' },
  };
  const response = (change: object) => ({ status: 200, headers: json, body: { ...balance, ...rubles, ...change } });
  expect(undocumented('GET', '/api/balance', response({}))).toEqual([]);
  expect(undocumented('GET', '/api/balance', response({ reservedUsd: '0.5' }))).toHaveLength(1);
});
