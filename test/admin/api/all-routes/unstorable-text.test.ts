/** Text that Postgres does not take is refused wherever a client can send some: it must not be the gateway's failure. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { testPassword } from '../../../harness/customers.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { type Api, logIn, startApi } from '../start-api.ts';

let harness: Harness;
let api: Api;
let accessToken: string;
let billingKey: string;
beforeAll(async () => {
  harness = await startHarness();
  api = await startApi(harness);
  const operator = await harness.createCustomer({ usd: '1', role: 'operator' });
  accessToken = await logIn(api, operator.email, testPassword);
  billingKey = operator.billingKey;
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}
interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const propertiesOf = ({ $ref, properties = {} }: Schema, { components }: Document): readonly string[] => {
  const named = $ref === undefined ? undefined : components.schemas[$ref.split('/').at(-1) ?? ''];
  return Object.keys(named?.properties ?? properties);
};

describe.each(['a\0b', '\ud800'])('%j', (text) => {
  test('is refused in every field, parameter and path', async () => {
    const { body: document } = await api.call<Document>('GET', '/api/docs/json');
    const failures: string[] = [];
    let asked = 0;
    const ask = async (method: string, path: string, body?: object) => {
      asked += 1;
      const token = path.startsWith('/api/keys') ? billingKey : accessToken;
      const { status } = await api.call(method, path, { token, ...(body && { body }) });
      // Not every address has the form of a route.
      if (status < 400 || status >= 500) failures.push(`${method} ${path} ${JSON.stringify(body)}: ${status}`);
    };
    // A URL has bytes, of which only the first text has some that are UTF-8.
    const inUrl = text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80';
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [name, { parameters = [], requestBody }] of Object.entries(methods)) {
        const [method, plain] = [name.toUpperCase(), path.replaceAll(/\{.*?\}/g, '1')];
        if (plain !== path) await ask(method, path.replaceAll(/\{.*?\}/g, inUrl));
        for (const parameter of parameters) {
          if (parameter.in === 'query' && text.isWellFormed()) await ask(method, `${plain}?${parameter.name}=${inUrl}`);
        }
        const schema = requestBody?.content['application/json']?.schema;
        for (const field of schema === undefined ? [] : propertiesOf(schema, document)) {
          await ask(method, plain, { [field]: text });
          await ask(method, plain, { [field]: [{ name: text }] });
        }
      }
    }
    expect(failures).toEqual([]);
    expect(asked).toBeGreaterThan(300);
  });
});
