/** The daily comparison with a price list: what is applied, what operators are mailed about, and that it happens once. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { CatalogueReaders } from '../../../admin/catalogue/catalogue-readers.ts';
import { readNewestCatalogue } from '../../../admin/catalogue/newest-catalogue.ts';
import { compareDaily, readLastComparison } from '../../../admin/catalogue/published-lists/daily-comparison.ts';
import { MailSender } from '../../../admin/mail/queue/mail-sender.ts';
import { SmtpMailer } from '../../../admin/mail/transport/smtp-mailer.ts';
import { mailPriceList } from '../../../admin/notifications/mail-price-list.ts';
import { createLog } from '../../../shared/log.ts';
import type { Customer } from '../../harness/customers.ts';
import { type MailServer, startMailServer } from '../../harness/mail-server.ts';
import { testCatalogue } from '../../harness/providers/test-catalogue.ts';
import { type Harness, startHarness } from '../../harness.ts';
import { type ListServer, startListServer } from '../catalogue/published-lists/list-server.ts';

let harness: Harness;
let operator: Customer;
let readers: CatalogueReaders;
let list: ListServer;
let now: Date;
beforeAll(async () => {
  harness = await startHarness();
  readers = new CatalogueReaders();
  operator = await harness.createCustomer({ usd: '0', role: 'operator' });
  await harness.createCustomer({ usd: '1' });
});
beforeEach(async () => {
  list = startListServer();
  now = new Date('2030-01-01T12:00:00Z');
  await harness.applyCatalogue(testCatalogue('http://127.0.0.1:1'));
  await harness.database.sql`DELETE FROM mails`;
});
afterEach(() => list.stop());
afterAll(async () => {
  readers.stop();
  await harness.stop();
});

const log = createLog({ program: 'test', level: 'silent' });
const hours = (count: number) => {
  now = new Date(now.getTime() + count * 3_600_000);
};
const compareNow = (appliesDecreases = false, stopping = new AbortController().signal) =>
  compareDaily({
    database: harness.database,
    config: { priceList: { url: list.url, appliesDecreases }, listedKeys: new Set() },
    catalogueReaders: readers,
    ...{ log, stopping, now: () => now, announce: mailPriceList },
  });
const last = () => readLastComparison(harness.database.db, list.url);
const newest = async () => {
  const catalogue = await readNewestCatalogue(harness.database.db);
  if (catalogue === undefined) throw new Error('there is no catalogue');
  return catalogue;
};
const mails = async () => {
  const rows = await harness.database.sql<{ recipient: string; data: { models: number } }[]>`
    SELECT recipient, data FROM mails WHERE kind = 'price_list_differs' ORDER BY id`;
  return rows.map(({ recipient, data }) => [recipient, data.models]);
};

/** USD per million tokens, by the model's name at the provider. Those of the catalogue are 0.5 and 1.5. */
function say(prices: Readonly<Record<string, readonly [prompt: string, completion: string]>>): void {
  const entries = Object.entries(prices).map(
    ([name, [prompt, completion]]) =>
      `"scripted/${name}": { "litellm_provider": "scripted", "mode": "chat",
        "input_cost_per_token": ${prompt}e-6, "output_cost_per_token": ${completion}e-6 }`,
  );
  list.answer = () => new Response(`{ ${entries.join(',')} }`);
}

const priceOf = async (id: string) => (await newest()).file.models.find((model) => model.id === id)?.price;

test('a list is compared once a day, by one of several replicas', async () => {
  say({ 'upstream-chat': ['0.5', '1.5'] });
  expect(await Promise.all([compareNow(), compareNow(), compareNow()]).then((all) => all.filter(Boolean))).toEqual([
    true,
  ]);
  hours(23);
  expect(await compareNow()).toBe(false);
  hours(1);
  expect(await compareNow()).toBe(true);
  expect(list.asked).toBe(2);
});

test('operators are mailed about what is new to them, and no one else is', async () => {
  say({ 'upstream-chat': ['0.4', '1.5'] });
  await compareNow();
  expect(await mails()).toEqual([[operator.email, 1]]);
  hours(24);
  await compareNow();
  expect(await mails()).toHaveLength(1);
  say({ 'upstream-chat': ['0.4', '1.5'], 'upstream-first': ['9', '9'] });
  hours(24);
  await compareNow();
  expect(await mails()).toEqual([
    [operator.email, 1],
    [operator.email, 2],
  ]);
  // One of them is gone, which asks for nothing.
  say({ 'upstream-first': ['9', '9'] });
  hours(24);
  await compareNow();
  expect(await mails()).toHaveLength(2);
  expect((await last()).last?.comparison.changed.map(({ model }) => model)).toEqual(['test/failover']);
});

test('the mail names the differences and arrives', async () => {
  const server: MailServer = await startMailServer();
  try {
    say({ 'upstream-chat': ['5', '1.2'], new: ['1', '1'] });
    await compareNow();
    await sendAll(server);
    const [mail] = server.received.filter(({ to }) => to.includes(operator.email));
    const text = mail?.part('text/plain').replaceAll(/\s+/g, ' ');
    expect(text).toContain('test/chat: prompt: 0.5 → 5 test/chat: completion: 1.5 → 1.2');
    expect(text).toContain('New models: 1');
    expect(text).toContain('Prices that differ by more than 3 times: 1.');
    expect(text).toContain('/operator/catalogue?tab=compare');
  } finally {
    await server.stop();
  }
});

describe('lower prices', () => {
  const before = { prompt: '0.50', completion: '1.50' };

  test('are asked about unless the operator lets them be applied', async () => {
    say({ 'upstream-chat': ['0.4', '1.5'] });
    const { version } = await newest();
    await compareNow();
    expect(await newest()).toMatchObject({ version });
    expect((await last()).last).toMatchObject({ applied: [], appliedVersion: null });
  });

  test('are applied alone, with an entry in the audit log', async () => {
    say({ 'upstream-chat': ['0.4', '0.5'], 'upstream-first': ['0.4', '1.6'], 'upstream-priced': ['0', '30'] });
    const { version } = await newest();
    await compareNow(true);
    const after = await newest();
    expect(after.version).toBe(version + 1);
    expect(await priceOf('test/chat')).toEqual({ prompt: '0.4', completion: '0.5' });
    // One price rises as another falls.
    expect(await priceOf('test/failover')).toEqual(before);
    expect(await priceOf('test/priced-output')).toEqual({ prompt: '0', completion: '10' });
    const { last: compared } = await last();
    expect(compared?.applied.map(({ model, changes }) => [model, changes.map(({ field }) => field)])).toEqual([
      ['test/chat', ['prompt', 'completion']],
    ]);
    expect(compared?.appliedVersion).toBe(after.version);
    expect(compared?.comparison.changed.map(({ model }) => model)).toEqual(['test/priced-output', 'test/failover']);
    const [entry] = await harness.database.sql`SELECT * FROM audit_entries ORDER BY id DESC LIMIT 1`;
    expect(entry).toMatchObject({ actor: 'worker:price-list', action: 'catalogue.apply' });
    expect(entry?.reason).toContain(list.url);
    expect(await mails()).toEqual([[operator.email, 2]]);
  });

  test.each([
    ['less than a third', ['0.16', '1.5']],
    ['lower to nothing', ['0', '1.5']],
    ['more than three times higher', ['1.51', '1.5']],
    ['lower, while another one is much lower', ['0.4', '0.49']],
  ] as const)('that are %s are never applied', async (_, prices) => {
    say({ 'upstream-chat': prices });
    const { version } = await newest();
    await compareNow(true);
    expect((await newest()).version).toBe(version);
    expect(await mails()).toEqual([[operator.email, 1]]);
  });

  test('remove no model that the list does not have, and change nothing else', async () => {
    say({ 'upstream-chat': ['0.4', '1.5'] });
    const { file } = await newest();
    await compareNow(true);
    const after = (await newest()).file;
    expect(after.providers).toEqual(file.providers);
    expect(after.models.slice(1)).toEqual(file.models.slice(1));
    expect(after.models[0]).toEqual({ ...file.models[0], price: { prompt: '0.4', completion: '1.50' } } as never);
  });
});

describe('a list that cannot be fetched or read', () => {
  test.each([
    ['is refused', () => new Response('', { status: 500 }), 'status 500'],
    ['is no list', () => new Response('<html>'), 'it is not JSON'],
  ] as const)('because it %s changes nothing, and is tried again an hour later', async (_, answer, error) => {
    say({ 'upstream-chat': ['0.4', '1.5'] });
    await compareNow();
    hours(24);
    list.answer = answer;
    const { version } = await newest();
    expect(await compareNow(true)).toBe(false);
    expect((await newest()).version).toBe(version);
    const failed = await last();
    expect(failed.attempt?.error).toContain(error);
    expect(failed.last?.comparison.changed).toHaveLength(1);
    hours(0.9);
    expect(await compareNow()).toBe(false);
    expect(list.asked).toBe(2);
    hours(0.2);
    say({ 'upstream-chat': ['0.5', '1.5'] });
    expect(await compareNow()).toBe(true);
    expect(await last()).toMatchObject({ attempt: { error: null }, last: { comparison: { changed: [] } } });
  });

  test('because the program stops is left to the next one, as is one of a program that died', async () => {
    const stopping = new AbortController();
    list.answer = async () => {
      stopping.abort(new Error('stopping'));
      return new Promise<Response>(() => {});
    };
    expect(await compareNow(false, stopping.signal)).toBe(false);
    expect((await last()).attempt).toBeUndefined();
    await harness.database.sql`
      INSERT INTO price_list_checks (url, state, started_at) VALUES (${list.url}, 'running', ${now})`;
    say({ 'upstream-chat': ['0.5', '1.5'] });
    expect(await compareNow()).toBe(false);
    hours(1.1);
    expect(await compareNow()).toBe(true);
  });
});

test('nothing is done without an address', async () => {
  const { database } = harness;
  const config = { priceList: { url: undefined, appliesDecreases: true }, listedKeys: new Set<string>() };
  const stopping = new AbortController().signal;
  const services = { database, config, catalogueReaders: readers, log, stopping, now: () => now };
  expect(await compareDaily({ ...services, announce: mailPriceList })).toBe(false);
});

async function sendAll(server: MailServer): Promise<void> {
  const from = { name: 'Gateway', address: 'gateway@example.com' };
  const brand = { name: 'Gateway', logoUrl: undefined, supportAddress: undefined, legalLine: undefined };
  const config = {
    publicUrl: 'https://gateway.example.com',
    mail: { from, brand },
    shutdown: { announceMs: 0, graceMs: 0 },
  };
  const { sql } = harness.database;
  const stopping = new AbortController().signal;
  const soon = new Date(Date.now() + 60_000);
  const mailer = new SmtpMailer(server.url, from);
  await new MailSender({
    sql,
    mailer,
    config,
    log,
    now: () => soon,
    stopping,
    attachmentsOf: async () => [],
  }).sendDue();
}
