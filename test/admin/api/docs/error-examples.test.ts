/** The document's error examples are admin's real errors, and no message quotes the reference. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { ErrorBody } from '../../../../shared/errors.ts';
import { type Customer, testPassword } from '../../../harness/customers.ts';
import {
  type OpenApiDocument,
  type Operation,
  operationsOf,
  withoutReferences,
} from '../../../harness/openapi/operations-of.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import type { CreatedKey } from '../response-types.ts';
import {
  type Api,
  type CallOptions,
  createOperator,
  goodPassword,
  logIn,
  type Operator,
  startApi,
} from '../start-api.ts';

const unknownId = 999_999_999;
const wrongTexts = ['-1', ''];
const wrongValues = [-1, ''];

let harness: Harness;
let api: Api;
let operations: Operation[];
let customer: Customer & { readonly token: string; readonly billingKey: string };
let operator: Operator;
const ownKeys = { billing: 0, proxy: 0 };
beforeAll(async () => {
  harness = await startHarness();
  api = await startApi(harness);
  const document = (await api.call<OpenApiDocument>('GET', '/api/docs/json')).body;
  operations = operationsOf(withoutReferences(document));
  operator = await createOperator(harness, api);
  const created = await harness.createCustomer({ usd: '0' });
  const token = await logIn(api, created.email, testPassword);
  const { body } = await api.call<CreatedKey>('POST', '/api/billing-keys', { token, body: { name: 'examples' } });
  customer = { ...created, token, billingKey: body.key };
  ownKeys.billing = body.id;
  const ownProxyKey = await api.call<CreatedKey>('POST', '/api/proxy-keys', { token, body: { name: 'examples' } });
  ownKeys.proxy = ownProxyKey.body.id;
  await api.call('POST', '/api/profile/confirm', { token, body: { current_password: testPassword } });
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

type ErrorExample = ErrorBody['error'];

function exampleOf({ responses }: Operation, code: string): ErrorExample | undefined {
  const examples = Object.values(responses).map(({ content }) => content?.['application/json']?.examples?.[code]);
  return Object(examples.find((example) => example !== undefined)?.value).error;
}

function operationOf(id: string): Operation {
  const operation = operations.find(({ operationId }) => operationId === id);
  if (operation === undefined) throw new Error(`there is no operation ${id}`);
  return operation;
}

const bodyOf = ({ requestBody }: Operation): object | undefined =>
  requestBody?.content['application/json']?.example as object;
const schemeOf = ({ security }: Operation): string | undefined => (security ?? []).flatMap(Object.keys)[0];
const isForOperators = ({ tags = [] }: Operation) => tags.includes('Operators');

/** A token that may call the operation. */
function tokenFor(operation: Operation): string | undefined {
  if (isForOperators(operation)) return operator.token;
  const scheme = schemeOf(operation);
  return scheme === 'billingKey' ? customer.billingKey : scheme && customer.token;
}

interface ErrorRequest extends CallOptions {
  readonly id?: string | number;
  readonly requestId?: string;
  readonly query?: string;
}

async function errorOf(operation: Operation, { id = unknownId, requestId, query = '', ...options }: ErrorRequest) {
  const [method = '', path = ''] = operation.route.split(' ');
  const url = path
    .replace('{id}', String(id))
    .replace('{domain}', 'example.com')
    .replace('{deliveryId}', '12')
    .replace(/{(request|session|payment|document|endpoint)Id}/, requestId ?? '01945b2e-7c1a-7d3e-8f10-2b3c4d5e6f70');
  const token = 'token' in options ? options.token : tokenFor(operation);
  const headers = { 'idempotency-key': crypto.randomUUID(), ...options.headers };
  return (await api.call(method, `${url}${query}`, { ...options, headers, ...(token !== undefined && { token }) }))
    .error;
}

/** `There is no key 7.` → `There is no key #.` */
const withoutNumbers = (error: ErrorExample | undefined) =>
  error && { ...error, message: error.message.replaceAll(/\d+/g, '#') };

describe('the error example is word for word admin’s error for', () => {
  /** Calls every operation that documents the code. */
  const expectExamples = async (code: string, ask: (operation: Operation) => ErrorRequest | undefined) => {
    let calls = 0;
    for (const operation of operations) {
      const example = exampleOf(operation, code);
      const request = example && ask(operation);
      if (request === undefined) continue;
      const error = await errorOf(operation, request);
      expect({ route: operation.route, error: withoutNumbers(error) }).toEqual({
        route: operation.route,
        error: withoutNumbers(example),
      });
      calls += 1;
    }
    expect(calls).toBeGreaterThan(4);
  };
  const withExample = (operation: Operation) => {
    const body = bodyOf(operation);
    return body === undefined ? {} : { body };
  };

  test('invalid_json', () => expectExamples('invalid_json', () => ({ body: '{"name": ' })));

  test('body_too_complex', () => expectExamples('body_too_complex', () => ({ body: '['.repeat(200) })));

  test('invalid_token', () =>
    expectExamples('invalid_token', (operation) =>
      schemeOf(operation) === 'accessToken' ? { ...withExample(operation), token: 'nonsense' } : undefined,
    ));

  test('wrong_key_type', () =>
    expectExamples('wrong_key_type', (operation) =>
      schemeOf(operation) === undefined ? undefined : { ...withExample(operation), token: customer.proxyKey },
    ));

  test('missing_api_key and invalid_api_key', async () => {
    await expectExamples('missing_api_key', (operation) => ({ ...withExample(operation), token: '' }));
    await expectExamples('invalid_api_key', (operation) => ({ ...withExample(operation), token: 'nonsense' }));
  });

  test('access_denied', () =>
    expectExamples('access_denied', (operation) => ({ ...withExample(operation), token: customer.token })));

  test('not_found in operations with an id', () =>
    expectExamples('not_found', (operation) => (operation.route.includes('{') ? withExample(operation) : undefined)));

  /** Their example is about what is missing when the rest is there. */
  const needOthersToo = ['loginWithSecondFactor', 'changeIdentityProvider'];
  const withoutParam = (operation: Operation) => {
    const { param } = exampleOf(operation, 'missing_parameter') ?? {};
    return Object.fromEntries(Object.entries(bodyOf(operation) ?? {}).filter(([name]) => name !== param));
  };

  test('missing_parameter', () =>
    expectExamples('missing_parameter', (operation) => {
      if (operation.operationId === 'changeDetails') return { body: { inn: '7707083893' } };
      if (needOthersToo.includes(operation.operationId ?? '')) return { body: withoutParam(operation) };
      return bodyOf(operation) === undefined ? {} : { body: {}, id: ownKeyOrAccount(operation) };
    }));

  test('invalid_parameter', async () => {
    for (const operation of operations) {
      // Identity providers send parameters of their own.
      if (operation.operationId === 'finishSingleSignOn') continue;
      const example = exampleOf(operation, 'invalid_parameter');
      const errors = await Promise.all(
        wrongRequests(operation, example?.param ?? '').map((options) => errorOf(operation, options)),
      );
      expect({ route: operation.route, errors }).toEqual({
        route: operation.route,
        errors: expect.arrayContaining([example]),
      });
    }
  });

  /** Requests with an invalid parameter of the kinds that the examples show. */
  function wrongRequests(operation: Operation, param: string): ErrorRequest[] {
    if (operation.operationId === 'changeDetails') {
      return [{ body: { accountType: 'OOO', inn: '7707083894', kpp: '770701' } }];
    }
    const body = bodyOf(operation);
    const id = ownKeyOrAccount(operation);
    const [, list] = /^(\w+)\[0\]$/.exec(param) ?? [];
    if (list !== undefined)
      return [...wrongValues, 'nonsense'].map((value) => ({ id, body: { ...body, [list]: [value] } }));
    if (body !== undefined) return wrongValues.map((value) => ({ id, body: { ...body, [param]: value } }));
    if (operation.route.includes(`{${param}}`)) return [{ id: '-1', requestId: '-1' }];
    if (param === 'page') return [{ id, query: '?page=2' }];
    return wrongTexts.map((text) => ({ query: `?${param}=${text}` }));
  }
});

describe('the error of one operation equals its example:', () => {
  const taken = () => ({ email: customer.email, password: goodPassword });
  test.each([
    ['register', 'email_taken', () => ({ body: taken() })],
    ['login', 'invalid_credentials', () => ({ body: taken() })],
    ['refresh', 'invalid_token', () => ({ body: { refreshToken: 'nonsense' } })],
    ['verifyEmail', 'invalid_link', () => ({ body: { token: 'nonsense' } })],
    ['resetPassword', 'invalid_link', () => ({ body: { token: 'nonsense', new_password: goodPassword } })],
    [
      'changePassword',
      'wrong_password',
      () => ({ body: { current_password: 'wrong', new_password: 'seven-calm-herons-fish' } }),
    ],
    ['getCatalogue', 'not_found', () => ({})],
    ['getReconciliation', 'not_found', () => ({})],
    ['getPriceHistory', 'model_not_found', () => ({ query: '?model=none' })],
    [
      'bookPayment',
      'wallet_limit',
      () => ({ body: { accountId: customer.accountId, usd: '9000000', reason: 'Too much' } }),
    ],
  ] as const)('%s, %s', async (id, code, options) => {
    const operation = operationOf(id);
    if (code === 'wallet_limit') {
      await errorOf(operation, { body: { accountId: customer.accountId, usd: '1', reason: 'Something' } });
    }
    const error = await errorOf(operation, options());
    expect(error).toEqual(exampleOf(operation, code));
  });

  test('createProxyKey, idempotency_key_reused', async () => {
    const operation = operationOf('createProxyKey');
    const headers = { 'idempotency-key': crypto.randomUUID() };
    expect(await errorOf(operation, { headers, body: { name: 'one' } })).toBeUndefined();
    const error = await errorOf(operation, { headers, body: { name: 'other' } });
    expect(error).toEqual(exampleOf(operation, 'idempotency_key_reused'));
  });

  test('applyCatalogue, invalid_catalogue', async () => {
    const operation = operationOf('applyCatalogue');
    const { catalogue } = Object(bodyOf(operation));
    const error = await errorOf(operation, { body: { catalogue: catalogue.replace(': openai,', ': opnai,') } });
    expect(error).toMatchObject({ code: 'invalid_catalogue', param: 'catalogue' });
  });
});

test('no message about an invalid value quotes the reference’s description', async () => {
  let calls = 0;
  for (const operation of operations) {
    const schema = operation.requestBody?.content['application/json']?.schema;
    for (const { at, description, body } of wrongBodies(schema, bodyOf(operation) ?? {})) {
      const error = await errorOf(operation, { id: ownKeyOrAccount(operation), body });
      expect({ route: operation.route, at, code: error?.code }).toEqual({
        route: operation.route,
        at,
        code: 'invalid_parameter',
      });
      expect(error?.message).not.toContain(description);
      calls += 1;
    }
  }
  expect(calls).toBeGreaterThan(60);
});

interface WrongBody {
  readonly at: string;
  readonly description: string;
  readonly body: object;
}

interface FieldSchema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
}

/** The example with one field of a wrong type, for each field at any depth. */
function wrongBodies(schema: FieldSchema | undefined, example: object, at = ''): WrongBody[] {
  return Object.entries(schema?.properties ?? {}).flatMap(([name, field]) => {
    const wrong = field.type === 'object' ? 0 : {};
    const inner = Object(new Map(Object.entries(example)).get(name));
    return [
      { at: `${at}${name}`, description: field.description ?? '', body: { ...example, [name]: wrong } },
      ...wrongBodies(field, inner, `${at}${name}.`).map((found) => ({
        ...found,
        body: { ...example, [name]: found.body },
      })),
    ];
  });
}

/** An existing id, so that the body is checked. */
function ownKeyOrAccount(operation: Operation): number {
  if (isForOperators(operation)) return customer.accountId;
  return operation.route.includes('billing-keys') ? ownKeys.billing : ownKeys.proxy;
}
