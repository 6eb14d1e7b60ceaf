/** Budgets at the command line: the same operations as in the API, with the same output. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { budgetSchema } from '../../../admin/api/organizations/budgets/budget-schemas.ts';
import { type Harness, startHarness } from '../../harness.ts';
import type { AuditList } from '../api/response-types.ts';
import { type Gateway, gatewayOf } from './run-gateway.ts';

type Budget = typeof budgetSchema.static;

let harness: Harness;
let gateway: Gateway;
beforeAll(async () => {
  harness = await startHarness();
  gateway = gatewayOf(harness);
});
afterAll(() => harness.stop());

const run = <Json>(...args: string[]) => gateway<Json>([...args, '--json']);

test('a budget is created, changed, listed and deleted, each effective immediately', async () => {
  const { email, proxyKeyId } = await harness.createCustomer({ usd: '1' });
  const named = ['--email', email];
  const month = ['--scope', 'organization', '--period', 'month', '--amount', '50', '--alerts', '80'];
  const { json: made } = await run<Budget>('budget', 'create', ...named, ...month);
  expect(made).toMatchObject({ id: 'organization-month', amountUsd: '50', alertsAt: [80], spentUsd: '0' });
  const ofKey = ['--scope', 'key', '--scope-id', String(proxyKeyId), '--period', 'day', '--amount', '0.25'];
  await run('budget', 'create', ...named, ...ofKey);
  const { json: changed } = await run<Budget>('budget', 'update', ...named, '--id', made.id, '--amount', '60');
  expect(changed).toMatchObject({ amountUsd: '60', alertsAt: [80] });
  const { json: listed } = await run<{ budgets: Budget[] }>('budget', 'list', ...named);
  expect(listed.budgets.map(({ id }) => id)).toEqual(['organization-month', `key-${proxyKeyId}-day`]);
  expect((await gateway(['budget', 'list', ...named])).out).toContain(
    `BUDGET\tAMOUNT, $\tSPENT, $\tBEGINS AGAIN\tOF\norganization-month\t60\t0\t`,
  );
  for (const { id } of listed.budgets) await run('budget', 'delete', ...named, '--id', id);
  expect((await gateway(['budget', 'list', ...named])).out).toContain('has no budgets.');
  const { json: audit } = await run<AuditList>('audit', '--limit', '5');
  expect(audit.entries.map(({ action }) => action)).toEqual([
    'budget.delete',
    'budget.delete',
    'budget.update',
    'budget.create',
    'budget.create',
  ]);
});

test('bad input is refused', async () => {
  const { email } = await harness.createCustomer({ usd: '1' });
  for (const args of [
    ['create', '--scope', 'organization', '--period', 'month', '--amount', '0'],
    ['create', '--scope', 'organization', '--period', 'year', '--amount', '1'],
    ['create', '--scope', 'project', '--period', 'month', '--amount', '1'],
    ['create', '--scope', 'organization', '--period', 'day', '--amount', '1', '--alerts', 'x'],
    ['update', '--id', 'organization-day', '--amount', '1'],
    ['update', '--id', 'organization-day'],
    ['delete', '--id', 'x'],
  ]) {
    expect((await gateway(['budget', ...args, '--email', email])).exitCode).not.toBe(0);
  }
});
