/** Mails about budgets: one for each threshold and period, to whom it concerns, in the transaction that books the charge. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { applyCharges } from '../../../admin/ledger/charges/apply-charges.ts';
import { monthOf } from '../../../admin/ledger/months.ts';
import { packTotals } from '../../../admin/ledger/totals/pack-totals.ts';
import type { Actor } from '../../../admin/operations/audit/record-action.ts';
import { changeBudget } from '../../../admin/organizations/budgets.ts';
import { changeOrganization } from '../../../admin/organizations/organizations.ts';
import type { SpendLimitName } from '../../../shared/limits/spend-limits.ts';
import { nanoUsd, rubRate } from '../../../shared/money.ts';
import { SeededRandom } from '../../harness/seeded-random.ts';
import { type Harness, startHarness } from '../../harness.ts';
import { chargeOf } from '../ledger/ledger.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.stop());

const noon = new Date('2026-11-20T12:00:00Z');
const terms = (at: Date) => ({ rate: { rubPerUsd: rubRate(900_000n), date: null, source: 'configured' as const }, at });

interface Place {
  readonly accountId: number;
  readonly keyId: number;
  readonly userId: number;
  readonly projectId: number;
}

async function openPlace(): Promise<Place> {
  const { accountId, proxyKeyId: keyId, userId } = await harness.createCustomer({ usd: '10' });
  const { sql } = harness.database;
  const [project] = await sql`INSERT INTO projects (account_id, name) VALUES (${accountId}, 'Bot') RETURNING id`;
  const projectId = Number(project?.id);
  await sql`UPDATE api_keys SET project_id = ${projectId}, created_by = ${userId} WHERE id = ${keyId}`;
  return { accountId, keyId, userId, projectId };
}

type Level = 'organization' | 'project' | 'member';

async function makeBudget(
  { accountId, userId, projectId }: Place,
  { level, period = 'day', alertsAt = [50, 80, 100] }: { level: Level; period?: string; alertsAt?: number[] },
): Promise<void> {
  const scopeId = { organization: accountId, project: projectId, member: userId }[level];
  await harness.database.sql`
    INSERT INTO budgets (account_id, level, scope_id, period, amount_nano, alerts_at)
    VALUES (${accountId}, ${level}, ${scopeId}, ${period}, 1000, ${alertsAt})`;
}

const spend = ({ accountId, keyId }: Place, costNano: bigint, at = noon) =>
  applyCharges(harness.database.sql, [chargeOf(accountId, { keyId, costNano, chargedAt: at })], terms(at));

async function mailsOf({ accountId }: Place): Promise<string[]> {
  const rows = await harness.database.sql<{ level: string; percent: number; spent: string; name: string }[]>`
    SELECT data->>'level' AS level, (data->>'percent')::int AS percent, data->>'spentNano' AS spent, data->>'name' AS name
    FROM mails WHERE account_id = ${accountId} AND kind = 'budget_alert' ORDER BY id`;
  return rows.map(({ level, percent, spent, name }) => `${level} ${name}: ${percent} at ${spent}`);
}

const percentsOf = async (place: Place) => (await mailsOf(place)).map((mail) => Number(/: (\d+) at /.exec(mail)?.[1]));

test('each threshold is mailed once in a period, and the highest of those that one charge passes', async () => {
  const place = await openPlace();
  await makeBudget(place, { level: 'project' });
  await spend(place, 499n);
  expect(await mailsOf(place)).toEqual([]);
  await spend(place, 1n);
  await spend(place, 200n);
  expect(await mailsOf(place)).toEqual(['project Bot: 50 at 500']);
  await spend(place, 300n);
  await spend(place, 1n);
  expect(await mailsOf(place)).toEqual(['project Bot: 50 at 500', 'project Bot: 100 at 1000']);
});

test.each(['organization', 'project', 'member'] as const)(
  'a budget in total of %s counts what was spent in archived months, from its first charge on',
  async (level) => {
    const place = await openPlace();
    await spend(place, 600n);
    await packTotals(harness.database.sql, monthOf(new Date('2026-11-01T00:00:00Z')));
    await makeBudget(place, { level, period: 'total' });
    await spend(place, 100n);
    expect(await percentsOf(place)).toEqual([50]);
    await spend(place, 100n);
    expect(await percentsOf(place)).toEqual([50, 80]);
  },
);

const actor: Actor = { name: 'test', userId: null, address: null, requestId: '', isMember: false };

/** As the organization does it. */
async function changeAmount({ accountId }: Place, amountNano: bigint, period: SpendLimitName = 'day'): Promise<void> {
  const place = { scope: { level: 'organization', accountId, id: accountId }, period } as const;
  const change = { amountNano: nanoUsd(amountNano) };
  await changeBudget(harness.database.db, actor, { id: null, accountId }, { place, change });
}

const changeZone = ({ accountId }: Place, timeZone: string) =>
  changeOrganization(harness.database.db, actor, { id: null, accountId }, { timeZone });

test('after a raise, thresholds of the new amount are mailed, but not those that are still reached', async () => {
  const place = await openPlace();
  await makeBudget(place, { level: 'organization' });
  await spend(place, 900n);
  await changeAmount(place, 1_500n);
  // 900 is still more than a half, and no longer 80 percent.
  await spend(place, 299n);
  expect(await percentsOf(place)).toEqual([80]);
  await spend(place, 1n);
  await spend(place, 1n);
  await spend(place, 300n);
  expect(await percentsOf(place)).toEqual([80, 80, 100]);
});

test('a smaller amount mails the thresholds that it makes true, once', async () => {
  const place = await openPlace();
  await makeBudget(place, { level: 'organization' });
  await spend(place, 500n);
  await changeAmount(place, 600n);
  await spend(place, 1n);
  await changeAmount(place, 550n);
  await spend(place, 1n);
  expect(await percentsOf(place)).toEqual([50, 80]);
});

test.each(['Asia/Tokyo', 'America/New_York'])(
  'what was mailed is not mailed again when the time zone becomes %s',
  async (zone) => {
    const place = await openPlace();
    await makeBudget(place, { level: 'organization', period: 'month' });
    await spend(place, 850n);
    await changeZone(place, zone);
    await spend(place, 1n);
    await changeZone(place, 'Europe/Moscow');
    await spend(place, 200n);
    expect(await percentsOf(place)).toEqual([80, 100]);
    await spend(place, 800n, new Date('2026-12-10T12:00:00Z'));
    expect(await percentsOf(place)).toEqual([80, 100, 80]);
  },
);

test('a period that begins after the time zone has changed mails its thresholds', async () => {
  const place = await openPlace();
  await makeBudget(place, { level: 'organization' });
  await spend(place, 850n);
  await changeZone(place, 'Asia/Tokyo');
  await spend(place, 850n, new Date('2026-11-21T12:00:00Z'));
  expect(await percentsOf(place)).toEqual([80, 80]);
});

test('each threshold is mailed when it becomes true, and not again while it stays so', async () => {
  const random = new SeededRandom(Number(process.env.SEED ?? 20_261_203));
  for (let history = 0; history < 12; history += 1) {
    const place = await openPlace();
    await makeBudget(place, { level: 'organization', period: 'month' });
    let [amount, spent, told] = [1_000n, 0n, 0];
    const expected: number[] = [];
    const reached = () => [100, 80, 50].find((percent) => spent * 100n >= amount * BigInt(percent)) ?? 0;
    for (let step = 0; step < 14; step += 1) {
      const choice = random.weighted({ charge: 6, amount: 3, zone: 1 });
      if (choice === 'charge') {
        const cost = BigInt(random.integer(1, 400));
        spent += cost;
        await spend(place, cost);
        if (reached() > told) expected.push(reached());
        told = Math.max(told, reached());
      } else if (choice === 'amount') {
        amount = BigInt(random.integer(300, 3_000));
        await changeAmount(place, amount, 'month');
        told = Math.min(told, reached());
      } else await changeZone(place, random.pick(['UTC', 'Asia/Tokyo', 'America/New_York']));
    }
    expect(await percentsOf(place)).toEqual(expected);
  }
});

test.each(['Asia/Tokyo', 'America/New_York'])('alerts go on when the time zone becomes %s', async (zone) => {
  const place = await openPlace();
  await makeBudget(place, { level: 'organization', period: 'month', alertsAt: [50] });
  await harness.database.sql`
    INSERT INTO organization_settings (account_id, name) VALUES (${place.accountId}, 'Acme')`;
  await spend(place, 400n);
  await harness.database
    .sql`UPDATE organization_settings SET time_zone = ${zone} WHERE account_id = ${place.accountId}`;
  await spend(place, 200n);
  expect(await mailsOf(place)).toEqual(['organization Acme: 50 at 600']);
});

test('a new period begins from nothing, and late charges of the one before mail nothing', async () => {
  const place = await openPlace();
  await makeBudget(place, { level: 'organization' });
  await harness.database.sql`
    INSERT INTO organization_settings (account_id, name, time_zone) VALUES (${place.accountId}, 'Acme', 'Asia/Tokyo')`;
  await spend(place, 600n, new Date('2026-11-20T14:59:00Z'));
  await spend(place, 700n, new Date('2026-11-20T15:00:00Z'));
  await spend(place, 400n, new Date('2026-11-20T14:59:30Z'));
  expect(await mailsOf(place)).toEqual(['organization Acme: 50 at 600', 'organization Acme: 50 at 700']);
});

test('what was spent before the budget was made counts', async () => {
  const place = await openPlace();
  await spend(place, 790n);
  await makeBudget(place, { level: 'member', period: 'total' });
  await spend(place, 10n);
  const [{ email } = { email: '' }] = await harness.database.sql`SELECT email FROM users WHERE id = ${place.userId}`;
  expect(await mailsOf(place)).toEqual([`member ${email}: 80 at 800`]);
});

test('it goes to the contact, to alert addresses, and to the member, if the organization wants alerts', async () => {
  const place = await openPlace();
  const colleague = await harness.createCustomer({ usd: '0' });
  const { sql } = harness.database;
  await sql`INSERT INTO memberships (account_id, user_id, role) VALUES (${place.accountId}, ${colleague.userId}, 'member')`;
  await sql`UPDATE api_keys SET created_by = ${colleague.userId} WHERE id = ${place.keyId}`;
  await sql`
    INSERT INTO alert_addresses (account_id, email, stop_token, confirmed_at)
    VALUES (${place.accountId}, 'ops@example.com', 'stop-me', now()), (${place.accountId}, 'other@example.com', 'x', NULL)`;
  await makeBudget({ ...place, userId: colleague.userId }, { level: 'member' });
  await spend(place, 500n);
  const mails = await sql<{ recipient: string; stop: string | null }[]>`
    SELECT recipient, data->>'stopToken' AS stop FROM mails
    WHERE account_id = ${place.accountId} AND kind = 'budget_alert' ORDER BY recipient = 'ops@example.com', id`;
  expect(mails.map(({ stop }) => stop)).toEqual([null, null, 'stop-me']);
  expect(mails.map(({ recipient }) => recipient)).toContain(colleague.email);
  await sql`
    INSERT INTO notification_settings (account_id, email_enabled, threshold_kopecks, interval_hours, language)
    VALUES (${place.accountId}, false, 0, 1, 'en')`;
  await spend(place, 500n);
  expect(await mailsOf(place)).toHaveLength(3);
});

test('of batches that are booked at the same moment one passes the threshold', async () => {
  const place = await openPlace();
  await makeBudget(place, { level: 'organization', alertsAt: [100] });
  await Promise.all(Array.from({ length: 20 }, () => spend(place, 100n)));
  expect(await mailsOf(place)).toHaveLength(1);
  const [budget] = await harness.database.sql`SELECT spent_nano FROM budgets WHERE account_id = ${place.accountId}`;
  expect(budget?.spent_nano).toBe('2000');
});

test('a charge that is booked twice counts once', async () => {
  const place = await openPlace();
  await makeBudget(place, { level: 'organization' });
  const charge = chargeOf(place.accountId, { keyId: place.keyId, costNano: 400n, chargedAt: noon });
  for (let time = 0; time < 3; time += 1) await applyCharges(harness.database.sql, [charge], terms(noon));
  expect(await mailsOf(place)).toEqual([]);
});
