/** Mails about models that retire: who gets them, when, and how often. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { RetiringModel } from '../../../admin/catalogue/retirements.ts';
import { applyCharges } from '../../../admin/ledger/charges/apply-charges.ts';
import { MailSender } from '../../../admin/mail/queue/mail-sender.ts';
import { SmtpMailer } from '../../../admin/mail/transport/smtp-mailer.ts';
import { mailRetirements } from '../../../admin/notifications/mail-retirements.ts';
import { createLog } from '../../../shared/log.ts';
import { inCampaign } from '../../harness/campaigns.ts';
import { type MailServer, startMailServer } from '../../harness/mail-server.ts';
import { type Harness, startHarness } from '../../harness.ts';
import { chargeOf } from '../ledger/ledger.ts';

let harness: Harness;
let server: MailServer;
beforeAll(async () => {
  harness = await startHarness();
  server = await startMailServer();
});
afterAll(async () => {
  await server.stop();
  await harness.stop();
});

const retiresAt = '2030-06-30';
const dayMs = 86_400_000;
const atHour = (day: string) => new Date(`${day}T08:00:00Z`);
const dayBefore = (days: number) => new Date(Date.parse(retiresAt) - days * dayMs).toISOString().slice(0, 10);
const newModel = (): RetiringModel => ({ id: `test/${crypto.randomUUID()}`, retiresAt });
const mailAt = (day: string, model: RetiringModel) => mailRetirements(harness.database.sql, [model], atHour(day));

interface User {
  readonly accountId: number;
  readonly email: string;
}

const openUser = (): Promise<User> => harness.createCustomer({ usd: '1' });

async function use({ accountId }: User, { id }: RetiringModel, day: string): Promise<void> {
  const { sql } = harness.database;
  const charge = chargeOf(accountId, { costNano: 1n, chargedAt: atHour(day) });
  await applyCharges(sql, [{ ...charge, detail: { ...charge.detail, model: id } }]);
}

const mailsOf = async ({ accountId }: User, { id }: RetiringModel): Promise<string[]> => {
  const rows = await harness.database.sql<{ recipient: string }[]>`
    SELECT recipient FROM mails
    WHERE account_id = ${accountId} AND kind = 'model_retiring' AND data->>'model' = ${id} ORDER BY id`;
  return rows.map(({ recipient }) => recipient);
};

test('a model that retires is mailed 30 and 7 days ahead, once each, whatever replicas do', async () => {
  const model = newModel();
  const user = await openUser();
  await use(user, model, '2030-05-20');
  expect(await mailAt('2030-05-30', model)).toBe(0);
  const counts = await Promise.all([1, 2, 3].map(() => mailAt('2030-05-31', model)));
  expect(counts.toSorted()).toEqual([0, 0, 1]);
  expect(await mailAt('2030-06-01', model)).toBe(0);
  await use(user, model, '2030-06-10');
  expect(await mailAt('2030-06-23', model)).toBe(1);
  expect(await mailAt('2030-07-01', model)).toBe(0);
  expect(await mailsOf(user, model)).toEqual([user.email, user.email]);
});

test('no one is told on the day itself, from which requests fail', async () => {
  const model = newModel();
  await use(await openUser(), model, '2030-06-10');
  expect(await mailAt(model.retiresAt, model)).toBe(0);
  expect(await mailAt(dayBefore(1), model)).toBe(1);
});

test('another day is another retirement', async () => {
  const model = newModel();
  const user = await openUser();
  await use(user, model, '2030-06-10');
  expect(await mailAt('2030-06-20', model)).toBe(1);
  expect(await mailAt('2030-06-20', { ...model, retiresAt: '2030-07-10' })).toBe(1);
});

test('every owner gets it in the language of the organization, and no other member', async () => {
  const { sql } = harness.database;
  const model = newModel();
  const [user, coOwner, member] = [await openUser(), await openUser(), await openUser()];
  const roles = [
    { email: coOwner.email, role: 'owner' },
    { email: member.email, role: 'admin' },
  ];
  for (const { email, role } of roles) {
    await sql`
      INSERT INTO memberships (account_id, user_id, role)
      SELECT ${user.accountId}, id, ${role} FROM users WHERE email = ${email}`;
  }
  await sql`
    INSERT INTO notification_settings (account_id, language, email_enabled) VALUES (${user.accountId}, 'ru', false)
    ON CONFLICT (account_id) DO UPDATE SET language = 'ru', email_enabled = false`;
  await use(user, model, '2030-06-10');
  expect(await mailAt('2030-06-20', model)).toBe(2);
  await sendAll(atHour('2030-06-20'));
  const received = server.received.filter((mail) => mail.part('text/plain').includes(model.id));
  expect(received.flatMap(({ to }) => to).toSorted()).toEqual([user.email, coOwner.email].toSorted());
  for (const mail of received) {
    // Lines are broken, and Intl writes no-break spaces.
    expect(mail.part('text/plain').replaceAll(/\s+/g, ' ')).toContain('С 30 июня 2030 г. (UTC) запросы');
    expect(mail.part('text/html')).toContain(`/models?model=${encodeURIComponent(model.id)}`);
  }
});

test('an account whose address is unproven gets none', async () => {
  const model = newModel();
  const user = await openUser();
  await harness.database.sql`UPDATE accounts SET ownership = 'unproven' WHERE id = ${user.accountId}`;
  await use(user, model, '2030-06-10');
  expect(await mailAt('2030-06-20', model)).toBe(0);
});

test('each distance is mailed once to those who used the model in 30 days, whenever it was (campaign)', async () => {
  const history = fc.record({
    used: fc.array(fc.integer({ min: 0, max: 70 }), { minLength: 1, maxLength: 4 }),
    looked: fc.uniqueArray(fc.integer({ min: -2, max: 40 }), { minLength: 1, maxLength: 6 }),
  });
  await fc.assert(
    fc.asyncProperty(history, async ({ used, looked }) => {
      const model = newModel();
      const user = await openUser();
      for (const days of used) await use(user, model, dayBefore(days));
      // Everything is used before the first look: a look counts what is not older than 30 days.
      const expected = new Set<number>();
      for (const left of looked.toSorted((one, other) => other - one)) {
        await mailAt(dayBefore(left), model);
        const distance = [7, 30].find((days) => left <= days);
        if (left < 1 || distance === undefined) continue;
        if (used.some((days) => days <= left + 30)) expected.add(distance);
      }
      expect(await mailsOf(user, model)).toHaveLength(expected.size);
    }),
    { numRuns: inCampaign(8, 25) },
  );
});

async function sendAll(now: Date): Promise<void> {
  const log = createLog({ program: 'test', level: 'silent' });
  const from = { name: 'Gateway', address: 'gateway@example.com' };
  const brand = { name: 'Gateway', logoUrl: undefined, supportAddress: undefined, legalLine: undefined };
  const config = {
    publicUrl: 'https://gateway.example.com',
    mail: { from, brand },
    shutdown: { announceMs: 0, graceMs: 0 },
  };
  const mailer = new SmtpMailer(server.url, from);
  const { sql } = harness.database;
  const stopping = new AbortController().signal;
  const attachmentsOf = async () => [];
  await new MailSender({ sql, mailer, config, log, now: () => now, stopping, attachmentsOf }).sendDue();
}
