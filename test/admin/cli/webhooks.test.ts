/** Webhook endpoints at the command line: listed with their state, stopped and started again. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { endpointSchema } from '../../../admin/api/webhooks/endpoint-schemas.ts';
import { type Harness, startHarness } from '../../harness.ts';
import { openEndpoint } from '../webhooks/endpoint.ts';
import { type Gateway, gatewayOf } from './run-gateway.ts';

type Endpoint = typeof endpointSchema.static;

let harness: Harness;
let gateway: Gateway;
beforeAll(async () => {
  harness = await startHarness();
  gateway = gatewayOf(harness);
});
afterAll(() => harness.stop());

test('an endpoint is listed, deactivated and activated, without its secret', async () => {
  const { id, email, secret } = await openEndpoint(harness, 'https://example.com/hooks', ['key.created']);
  const named = ['--email', email];
  const list = () => gateway<{ webhooks: Endpoint[] }>(['webhook', 'list', ...named, '--json']);
  const update = (active: string) => ['webhook', 'update', ...named, '--id', id, '--active', active];
  expect((await list()).json.webhooks).toMatchObject([{ id, url: 'https://example.com/hooks', active: true }]);
  expect((await gateway([...update('false'), '--json'])).json).toMatchObject({ id, active: false });
  const { out } = await gateway(['webhook', 'list', ...named]);
  expect(out).toContain(`${id}\tinactive\tkey.created\thttps://example.com/hooks`);
  expect(out).not.toContain(secret);
  await gateway(update('true'));
  expect((await list()).json.webhooks[0]?.active).toBe(true);
  expect((await gateway(update('maybe'))).exitCode).toBe(1);
  const other = await harness.createCustomer({ usd: '0' });
  expect((await gateway(['webhook', 'list', '--email', other.email])).out).toContain('has no webhook endpoints.');
});
