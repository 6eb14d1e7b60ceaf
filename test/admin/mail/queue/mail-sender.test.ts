/** Mails are sent once, and none is lost: with a real Postgres, a real SMTP server, and a clock set by the test. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import { register } from 'prom-client';
import { attachDocument } from '../../../../admin/documents/files/attach-document.ts';
import { renderDocument } from '../../../../admin/documents/render/render-document.ts';
import type { NewMail } from '../../../../admin/mail/mail.ts';
import { listMails } from '../../../../admin/mail/queue/list-mails.ts';
import { MailSender } from '../../../../admin/mail/queue/mail-sender.ts';
import { purgeMails } from '../../../../admin/mail/queue/purge-mails.ts';
import { queueMail, resendMail } from '../../../../admin/mail/queue/queue-mail.ts';
import { SmtpMailer } from '../../../../admin/mail/transport/smtp-mailer.ts';
import { createLog } from '../../../../shared/log.ts';
import { guardTimeoutMs, waitFor } from '../../../harness/account-view.ts';
import { type MailServer, startMailServer } from '../../../harness/mail-server.ts';
import { openLedger, type TestLedger } from '../../ledger/ledger.ts';

const from = { name: 'Model Gateway', address: 'gateway@example.com' };
const brand = {
  name: 'Model Gateway',
  logoUrl: undefined,
  supportAddress: 'help@example.com',
  legalLine: undefined,
};
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

const operator = { name: 'operator@example.com', userId: null, address: null, requestId: null };
let ledger: TestLedger;
let server: MailServer;
let now: Date;

beforeAll(async () => {
  ledger = await openLedger();
});
beforeEach(async () => {
  server = await startMailServer();
  await ledger.sql`DELETE FROM mails`;
  now = new Date(Date.now() + minuteMs);
});
afterEach(() => server.stop());
afterAll(() => ledger.close());

const later = (ms: number) => {
  now = new Date(now.getTime() + ms);
};

function startSender(url = server.url, stopping = new AbortController().signal): MailSender {
  return new MailSender({
    sql: ledger.sql,
    attachmentsOf: (content) => attachDocument({ db: ledger.db, seller: undefined, draw: renderDocument }, content),
    mailer: new SmtpMailer(url, from),
    config: {
      publicUrl: 'https://gateway.example.com',
      mail: { from, brand },
      shutdown: { announceMs: 0, graceMs: 0 },
    },
    log: createLog({ program: 'test', level: 'silent' }),
    now: () => now,
    stopping,
  });
}

const queue = async (mail: Partial<NewMail> = {}) => {
  const test: NewMail = {
    accountId: 1,
    to: 'ada@example.com',
    language: 'en',
    kind: 'test',
    data: { requestedAt: '2030-01-01T00:00:00Z' },
  };
  return (await queueMail(ledger.db, { ...test, ...mail } as NewMail)) ?? 0;
};
const verification = (expiresAt: Date): Partial<NewMail> => ({
  kind: 'verify_email',
  data: { url: 'https://gateway.example.com/verify-email?token=secret', expiresAt: expiresAt.toISOString() },
});
const mailOf = async (id: number) => {
  const mail = (await listMails(ledger.db, { limit: 100 })).find((candidate) => candidate.id === id);
  if (mail === undefined) throw new Error(`no mail ${id}`);
  return mail;
};

/** What the alert MailsGivenUp looks at. */
async function givenUp(): Promise<number> {
  const counter = await register.getSingleMetric('gateway_mail_attempts_total')?.get();
  return counter?.values.find(({ labels }) => labels.outcome === 'given_up')?.value ?? Number.NaN;
}

test('a queued mail is sent with text and HTML, and the server’s response is stored', async () => {
  const id = await queue();
  expect(await startSender().sendDue()).toBe(1);
  const [mail] = server.received;
  expect(mail?.to).toEqual(['ada@example.com']);
  expect(mail?.header('from')).toBe('Model Gateway <gateway@example.com>');
  expect(mail?.header('subject')).toBe('Test of your low-balance alerts');
  expect(mail?.header('reply-to')).toBe('help@example.com');
  expect(mail?.header('auto-submitted')).toBe('auto-generated');
  expect(mail?.part('text/plain')).toContain('YOUR ALERTS ARE WORKING');
  expect(mail?.part('text/html')).toContain('<h1');
  expect(await mailOf(id)).toMatchObject({ state: 'sent', attempts: 1, sentAt: now, lastError: null });
  expect((await mailOf(id)).response).toContain('kept for the test');
});

test('a rolled-back mail is not sent', async () => {
  const failing = ledger.db.transaction(async (transaction) => {
    await queueMail(transaction, {
      accountId: 1,
      to: 'a@example.com',
      language: 'en',
      kind: 'test',
      data: { requestedAt: '' },
    });
    throw new Error('undone');
  });
  await expect(failing).rejects.toThrow('undone');
  expect(await startSender().sendDue()).toBe(0);
});

test('two admins that send concurrently send each mail once', async () => {
  for (let count = 0; count < 40; count += 1) await queue({ to: `user${count}@example.com` });
  const sent = await Promise.all([startSender().sendDue(), startSender().sendDue(), startSender().sendDue()]);
  expect(sent.reduce((sum, count) => sum + count, 0)).toBe(40);
  expect(new Set(server.received.flatMap(({ to }) => to)).size).toBe(40);
  expect(server.received).toHaveLength(40);
});

test('a mail server that is down for a day loses no mail, and is tried less and less often', async () => {
  const { port } = server;
  await server.stop();
  const ids = [await queue(), await queue(), await queue()];
  const sender = startSender();
  let rounds = 0;
  for (const end = now.getTime() + dayMs; now.getTime() < end; later(10 * minuteMs)) {
    expect(await sender.sendDue()).toBe(0);
    rounds += 1;
  }
  const { attempts, state, lastError } = await mailOf(ids[0] ?? 0);
  expect({ state, lastError }).toEqual({ state: 'queued', lastError: expect.stringContaining('ECONNREFUSED') });
  expect(attempts).toBeGreaterThan(8);
  expect(attempts).toBeLessThan(rounds / 5);

  server = await startMailServer({ port });
  later(4 * 60 * minuteMs);
  expect(await sender.sendDue()).toBe(3);
  expect(server.received).toHaveLength(3);
});

test('a mail is given up after three days, and an operator can send it again', async () => {
  const { port } = server;
  await server.stop();
  const id = await queue();
  const sender = startSender();
  for (let round = 0; round < 80; round += 1, later(60 * minuteMs)) await sender.sendDue();
  expect((await mailOf(id)).state).toBe('failed');
  expect((await listMails(ledger.db, { state: 'failed', limit: 10 })).map((mail) => mail.id)).toEqual([id]);
  expect(await listMails(ledger.db, { state: 'sent', limit: 10 })).toEqual([]);

  server = await startMailServer({ port });
  await expect(resendMail(ledger.db, operator, { mailId: id + 1_000, now })).rejects.toMatchObject({
    code: 'not_found',
  });
  await resendMail(ledger.db, operator, { mailId: id, now });
  expect(await sender.sendDue()).toBe(1);
  await expect(resendMail(ledger.db, operator, { mailId: id, now })).rejects.toMatchObject({
    code: 'mail_not_resendable',
  });
});

test('a mail to a recipient unknown to the server is not retried, but a deferred one is', async () => {
  await server.stop();
  server = await startMailServer({
    options: {
      onRcptTo: ({ address }, _session, done) => {
        const responseCode = address.startsWith('nobody') ? 550 : 451;
        done(Object.assign(new Error('not now'), { responseCode }));
      },
    },
  });
  const [unknown, greylisted] = [await queue({ to: 'nobody@example.com' }), await queue()];
  await startSender().sendDue();
  expect(await mailOf(unknown)).toMatchObject({ state: 'failed', lastError: expect.stringContaining('550') });
  expect(await mailOf(greylisted)).toMatchObject({ state: 'queued', lastError: expect.stringContaining('451') });
});

test('a mail whose sender crashed is sent by another after the lease, under the same Message-ID', async () => {
  const id = await queue();
  const stuck = Promise.withResolvers<void>();
  await server.stop();
  server = await startMailServer({
    beforeAcceptance: () => (server.received.length === 1 ? stuck.promise : undefined),
  });
  const dying = startSender().sendDue();
  await waitFor('the first attempt', guardTimeoutMs, async () => server.received.length === 1);

  const other = startSender();
  later(4 * minuteMs);
  expect(await other.sendDue()).toBe(0);
  later(2 * minuteMs);
  expect(await other.sendDue()).toBe(1);
  const messageIds = server.received.map((mail) => mail.header('message-id'));
  expect(messageIds).toHaveLength(2);
  expect(messageIds[0]).toBe(messageIds[1]);
  expect(messageIds[0]).toMatch(/^<[0-9a-f-]{36}@example\.com>$/);

  // The first sender was only frozen, and finishes late: it no longer changes anything.
  stuck.resolve();
  await dying;
  expect(await mailOf(id)).toMatchObject({ state: 'sent', attempts: 2 });
});

test('a mail is not sent again if Postgres fails when the server accepts it', async () => {
  const id = await queue();
  await server.stop();
  server = await startMailServer({
    beforeAcceptance: async () => {
      await ledger.sql`ALTER TABLE mails RENAME TO mails_away`;
    },
  });
  const sender = startSender();
  await expect(sender.sendDue()).rejects.toThrow('mails');
  await expect(sender.sendDue()).rejects.toThrow('mails');
  await ledger.sql`ALTER TABLE mails_away RENAME TO mails`;
  later(minuteMs);
  expect(await sender.sendDue()).toBe(0);
  expect(await mailOf(id)).toMatchObject({ state: 'sent', attempts: 1 });
  later(dayMs);
  await sender.sendDue();
  expect(server.received).toHaveLength(1);
});

test('links are deleted once the mail is sent, and a mail with an expired link is not sent', async () => {
  const fresh = await queue(verification(new Date(now.getTime() + dayMs)));
  const expired = await queue(verification(new Date(now.getTime() - 1)));
  const sender = startSender();
  const before = await givenUp();
  expect(await sender.sendDue()).toBe(1);
  expect(await givenUp()).toBe(before + 1);
  expect(server.received[0]?.part('text/plain')).toContain('token=secret');
  const rows = await ledger.sql`SELECT id::int, data IS NULL AS forgotten FROM mails ORDER BY id`;
  expect([...rows]).toEqual([
    { id: fresh, forgotten: true },
    { id: expired, forgotten: false },
  ]);
  expect(await mailOf(expired)).toMatchObject({ state: 'failed', attempts: 0 });
  await expect(resendMail(ledger.db, operator, { mailId: expired, now })).rejects.toThrow('expired');
});

test('an attempt that outlasts the shutdown grace is aborted, and its mail waits for the next admin', async () => {
  const id = await queue();
  const stuck = Promise.withResolvers<void>();
  await server.stop();
  server = await startMailServer({ beforeAcceptance: () => stuck.promise });
  const stopping = new AbortController();
  const sending = startSender(server.url, stopping.signal).sendDue();
  await waitFor('the attempt', guardTimeoutMs, async () => server.received.length === 1);
  stopping.abort();
  expect(await sending).toBe(0);
  expect(await mailOf(id)).toMatchObject({ state: 'queued', lastError: 'AbortError: Message sending aborted' });
  stuck.resolve();
});

test('a server that never responds is disconnected', async () => {
  await server.stop();
  server = await startMailServer({ options: { onConnect: () => {} } });
  const mailer = new SmtpMailer(server.url, from);
  const mail = { key: crypto.randomUUID(), createdAt: now, to: 'ada@example.com', subject: 's', text: 't', html: 'h' };
  await expect(mailer.send(mail, AbortSignal.timeout(50))).rejects.toThrow();
  expect(server.received).toEqual([]);
});

test('a password is not sent over an unencrypted connection', async () => {
  const heard: string[] = [];
  await server.stop();
  server = await startMailServer({
    options: {
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: ({ username }, _session, done) => {
        heard.push(username ?? '');
        done(null, { user: username ?? '' });
      },
    },
  });
  const mail = { key: crypto.randomUUID(), createdAt: now, to: 'ada@example.com', subject: 's', text: 't', html: 'h' };
  const send = (host: string) =>
    new SmtpMailer(`smtp://user:secret@${host}:${server.port}`, from).send(mail, AbortSignal.timeout(5_000));
  // To nodemailer and to the mailer this looks like another host, but it is this one.
  await expect(send('0.0.0.0')).rejects.toThrow(/TLS/);
  expect(heard).toEqual([]);
  await send('127.0.0.1');
  expect(heard).toEqual(['user']);
});

test('old mails are deleted, queued ones never', async () => {
  const [sent] = [await queue()];
  await startSender().sendDue();
  const queued = await queue();
  expect(await purgeMails(ledger.sql, new Date(now.getTime() + 80 * dayMs))).toBe(0);
  expect(await purgeMails(ledger.sql, new Date(now.getTime() + 91 * dayMs))).toBe(1);
  await expect(mailOf(sent ?? 0)).rejects.toThrow('no mail');
  expect((await mailOf(queued)).state).toBe('queued');
});
