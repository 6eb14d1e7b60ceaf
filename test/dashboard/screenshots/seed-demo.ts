/**
 * The people of the screenshots: a new customer, a customer with a history, a member of their organization, and an operator. And
 * someone with second factors, whose organization requires them, with a member who has none.
 */
import { createKey } from '../../../admin/keys/create-key.ts';
import { deliverOutbox } from '../../../admin/wallets/deliver-outbox.ts';
import { guardTimeoutMs, waitFor } from '../../harness/account-view.ts';
import type { Customer } from '../../harness/customers.ts';
import { wholeResponse } from '../../harness/providers/scripted-provider.ts';
import type { Dashboard } from '../harness/dashboard.ts';
import {
  createMember,
  nameOrganization,
  seedBudget,
  seedInvitation,
  seedProject,
  seedProjectKey,
  seedProvider,
  setSignInRule,
} from '../harness/organization.ts';
import { seedPayments } from '../harness/payments.ts';
import { seedSeals } from '../harness/seals.ts';
import { seedApp, seedPasskeys } from '../harness/second-factor.ts';
import { seedWebhooks } from '../harness/webhooks.ts';

export interface People {
  readonly newcomer: Customer;
  readonly customer: Customer;
  readonly member: Customer;
  readonly operator: Customer;
  readonly guarded: Customer;
  readonly heldBack: Customer;
  /** Recovery codes of `guarded`, one for each log-in. */
  readonly codes: string[];
}

const keyNames = ['production', 'staging', 'Отчёты по ночам', 'a-name-that-somebody-has-made-much-too-long-to-fit'];
const requests = 40;

const projects = [
  { name: 'Support bot', description: 'Answers customers on the website and in the app', costCenter: 'CC-40' },
  { name: 'Внутренний поиск' },
  { name: 'Pilot for the spring exhibition', description: 'Over since May', costCenter: 'MKT-2026-07' },
] as const;

export async function seedDemo({ harness, provider, proxy, admin }: Dashboard): Promise<People> {
  const newcomer = await harness.createCustomer({ usd: '0', email: 'newcomer@example.com' });
  await harness.database.sql`UPDATE api_keys SET deleted_at = now() WHERE account_id = ${newcomer.accountId}`;
  const customer = await harness.createCustomer({ usd: '25', email: 'anna@example.com' });
  const operator = await harness.createCustomer({ usd: '0', email: 'operator@example.com', role: 'operator' });
  const { accountId } = customer;
  for (const [index, name] of keyNames.entries()) {
    const expiresAt = index === 1 ? new Date(Date.now() + 30 * 86_400_000) : null;
    const spendLimitDayNano = index === 0 ? 5_000_000_000n : null;
    const allowedModels = index === 2 ? ['test/chat'] : null;
    const cacheSeconds = index === 1 ? 3_600 : null;
    const key = { accountId, kind: 'proxy', name, expiresAt, spendLimitDayNano, allowedModels, cacheSeconds } as const;
    await createKey(harness.database.db, harness.keyPepper, key);
  }
  await harness.createExpiredKey(accountId);
  const projectKey = await seedProjects({ admin, harness }, customer);
  await deliverOutbox({ sql: harness.database.sql, keeper: harness.keeper }, accountId);
  provider.on(
    'upstream-chat',
    wholeResponse({ content: 'Hi.', usage: { promptTokens: 1_234, completionTokens: 567 } }),
  );
  const ask = (apiKey: string, content: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${proxy.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model: 'test/chat', messages: [{ role: 'user', content }] }),
    });
  for (let sent = 0; sent < requests; sent += 1) {
    await ask(sent % 3 === 0 ? customer.proxyKey : projectKey, `Question ${sent}`);
  }
  await waitFor('a repetition', guardTimeoutMs, async () => {
    const { headers } = await ask(projectKey, 'A question that is asked twice', { 'x-cache': 'read' });
    return headers.get('x-cache') === 'hit';
  });
  await seedBudgets({ admin, harness }, customer);
  await seedPayments({ harness, admin }, customer);
  await seedWebhooks(harness, customer.accountId);
  await seedSeals(harness);
  const member = await seedOrganization(harness, customer);
  return { newcomer, customer, member, operator, ...(await seedGuarded({ harness, admin })) };
}

/** Returns a key that is in the first. The last is archived, with a key in it. */
async function seedProjects(dashboard: Pick<Dashboard, 'admin' | 'harness'>, customer: Customer): Promise<string> {
  const [bot, search, pilot] = projects;
  const projectId = await seedProject(dashboard, customer, bot);
  await seedProject(dashboard, customer, search);
  const { accountId } = customer;
  const key = { accountId, kind: 'proxy', name: 'pilot', expiresAt: null } as const;
  const { id } = await createKey(dashboard.harness.database.db, dashboard.harness.keyPepper, key);
  await seedProject(dashboard, customer, { ...pilot, keyIds: [id], archived: true });
  return seedProjectKey(dashboard, customer, { name: 'support bot', projectId });
}

/** One with little spent, one with most of it, and one that allows less than is spent. */
async function seedBudgets(dashboard: Pick<Dashboard, 'admin' | 'harness'>, customer: Customer): Promise<void> {
  const { accountId, userId } = customer;
  const [project] = await dashboard.harness.database.sql<{ id: number }[]>`
    SELECT id::int FROM projects WHERE account_id = ${accountId} AND name = ${projects[0].name}`;
  for (const budget of [
    { scope: 'organization', period: 'month', amount: '0.25' },
    { scope: 'project', scopeId: project?.id, period: 'week', amount: '0.055', alertsAt: [80, 100] },
    { scope: 'member', scopeId: userId, period: 'total', amount: '0.03', alertsAt: [] },
  ]) {
    await seedBudget(dashboard, customer, budget);
  }
}

async function seedGuarded({ harness, admin }: Pick<Dashboard, 'admin' | 'harness'>) {
  const guarded = await harness.createCustomer({ usd: '0', email: 'guarded@example.com' });
  const { accountId, userId } = guarded;
  await nameOrganization(harness, accountId, 'Acme');
  const heldBack = await createMember(harness, { accountId, role: 'admin', email: 'held-back@example.com' });
  const { recoveryCodes } = await seedApp({ admin }, guarded);
  await seedPasskeys(harness, userId, ['Chrome on macOS', 'YubiKey в сейфе']);
  await setSignInRule(harness, accountId, 'second_factor');
  await seedProvider(harness, accountId);
  return { guarded, heldBack, codes: [...recoveryCodes] };
}

/** The token of the invitation for someone new, and of the one for a user. */
export const invitationTokens = { stranger: 'demo-stranger', newcomer: 'demo-newcomer' } as const;

async function seedOrganization(harness: Dashboard['harness'], { accountId, userId }: Customer): Promise<Customer> {
  await nameOrganization(harness, accountId, 'ООО «Ромашка»');
  const member = await createMember(harness, { accountId, role: 'member', email: 'boris@example.com' });
  await harness.database.sql`UPDATE users SET display_name = 'Борис Петров' WHERE id = ${member.userId}`;
  for (const role of ['finance', 'auditor'] as const) {
    await createMember(harness, { accountId, role, email: `${role}@example.com` });
  }
  await createMember(harness, { accountId, role: 'admin', email: `${'long-name-'.repeat(6)}@example.com` });
  const invited = { accountId, invitedBy: userId };
  await seedInvitation(harness, { ...invited, email: 'vera@example.com', token: invitationTokens.stranger });
  await seedInvitation(harness, {
    ...invited,
    email: 'newcomer@example.com',
    role: 'finance',
    token: invitationTokens.newcomer,
  });
  await seedInvitation(harness, { ...invited, email: 'expired@example.com', role: 'auditor', days: -1 });
  return member;
}
