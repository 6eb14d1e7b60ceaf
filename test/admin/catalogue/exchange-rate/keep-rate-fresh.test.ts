/**
 * The day's rate from a bank on loopback that is healthy, malformed, slow, huge, or away; with a clock set by the test.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { type RateConfig, readRate } from '../../../../admin/catalogue/exchange-rate/exchange-rate.ts';
import { fetchCbrRate } from '../../../../admin/catalogue/exchange-rate/fetch-cbr-rate.ts';
import { RateKeeper } from '../../../../admin/catalogue/exchange-rate/keep-rate-fresh.ts';
import { keepCataloguePublished } from '../../../../admin/catalogue/publish-catalogue.ts';
import { catalogueFields, catalogueKey, decodeCatalogue } from '../../../../shared/catalogue/published-catalogue.ts';
import { createLog } from '../../../../shared/log.ts';
import { formatRubPerUsd, parseRubPerUsd } from '../../../../shared/money.ts';
import { testCatalogue } from '../../../harness/providers/test-catalogue.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { type Bank, ratesText, startBank, textOf } from './bank.ts';

let harness: Harness;
let bank: Bank;
let now: Date;

beforeAll(async () => {
  harness = await startHarness();
  bank = startBank();
});
beforeEach(async () => {
  await harness.database.sql`DELETE FROM exchange_rates`;
  bank.requestedDates.length = 0;
  bank.respond = textOf(ratesText());
  now = new Date('2026-11-21T09:00:00Z');
});
afterAll(async () => {
  await bank.stop();
  await harness.stop();
});

const config = (cbrUrl: string | undefined = bank.url): RateConfig => ({ cbrUrl, rubPerUsd: parseRubPerUsd('90') });
const keeperOf = (cbrUrl?: string, log = createLog({ program: 'test', level: 'silent' })) =>
  new RateKeeper({ sql: harness.database.sql, config: config(cbrUrl), log, now: () => now });
const inForce = async (from = config()) => {
  const rate = await readRate(harness.database.sql, from);
  return `${formatRubPerUsd(rate.rubPerUsd)} ${rate.source} ${rate.date}`;
};
const minutesLater = (minutes: number) => {
  now = new Date(now.getTime() + minutes * 60_000);
};

test('the rate of the day in Moscow is fetched, stored, and effective', async () => {
  now = new Date('2026-11-20T21:30:00Z');
  expect(await inForce()).toBe('90 configured null');
  await keeperOf().keepFresh();
  expect(bank.requestedDates).toEqual(['21/11/2026']);
  expect(await inForce()).toBe('81.2345 cbr 2026-11-21');
});

test('the rate is fetched once a day, after midnight in Moscow, by all replicas together', async () => {
  const [one, other] = [keeperOf(), keeperOf()];
  for (let hour = 0; hour < 24; hour += 1, minutesLater(60)) {
    await one.keepFresh();
    await other.keepFresh();
  }
  expect(bank.requestedDates).toEqual(['21/11/2026', '22/11/2026']);
});

test('a response with an older date is accepted too', async () => {
  const keeper = keeperOf();
  await keeper.keepFresh();
  minutesLater(24 * 60);
  await keeper.keepFresh();
  minutesLater(1);
  await keeper.keepFresh();
  expect(bank.requestedDates).toEqual(['21/11/2026', '22/11/2026']);
  expect(await inForce()).toBe('81.2345 cbr 2026-11-21');
});

test('a new day replaces the rate, and the old one stays stored', async () => {
  const keeper = keeperOf();
  await keeper.keepFresh();
  bank.respond = textOf(ratesText({ date: '22.11.2026', value: '80,5' }));
  minutesLater(24 * 60);
  await keeper.keepFresh();
  expect(await inForce()).toBe('80.5 cbr 2026-11-22');
  const kept = await harness.database.sql`SELECT rub_per_usd FROM exchange_rates ORDER BY exchange_rates.date`;
  expect(kept.map((row) => row.rub_per_usd)).toEqual(['812345', '805000']);
});

describe('an unreliable bank', () => {
  test.each<[string, Bank['respond']]>([
    ['malformed', textOf('<html>maintenance</html>')],
    ["tomorrow's rate", textOf(ratesText({ date: '23.11.2026' }))],
    ['an error', () => new Response('oops', { status: 503 })],
    ['a redirect', () => Response.redirect('http://127.0.0.1:1/', 302)],
    ['huge', () => new Response(new Uint8Array(1_000_000))],
    ['endless', () => new Response(new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(10_000)) }))],
  ])('changes nothing, and is queried again later: %s', async (_name, respond) => {
    const keeper = keeperOf();
    await keeper.keepFresh();
    minutesLater(24 * 60);
    bank.respond = respond;
    await keeper.keepFresh();
    expect(await inForce()).toBe('81.2345 cbr 2026-11-21');
    minutesLater(14);
    await keeper.keepFresh();
    expect(bank.requestedDates).toHaveLength(2);

    bank.respond = textOf(ratesText({ date: '22.11.2026', value: '80,5' }));
    minutesLater(1);
    await keeper.keepFresh();
    expect(await inForce()).toBe('80.5 cbr 2026-11-22');
  });

  test('is disconnected if it is slow, before or after its first byte', async () => {
    const silent = Promise.withResolvers<Response>();
    bank.respond = () => silent.promise;
    const question = { url: bank.url, day: '2026-11-21', timeoutMs: 50 };
    await expect(fetchCbrRate(question)).rejects.toThrow();
    silent.resolve(new Response());
    bank.respond = () => new Response(new ReadableStream({ start: (stream) => stream.enqueue(new Uint8Array(10)) }));
    await expect(fetchCbrRate(question)).rejects.toThrow();
  });

  test('is logged once while it is unavailable', async () => {
    const lines: string[] = [];
    const log = createLog({ program: 'test', level: 'warn' });
    log.warn = (_bindings: unknown, message?: string) => lines.push(message ?? '');
    const keeper = keeperOf('http://127.0.0.1:1/', log);
    for (let round = 0; round < 10; round += 1, minutesLater(60)) await keeper.keepFresh();
    expect(lines).toEqual(["cannot fetch the Bank of Russia's rate; USD_RUB_RATE stays in effect"]);
  });
});

test('if the bank is disabled no rate is fetched, and the configured rate is effective', async () => {
  await keeperOf().keepFresh();
  const off = { ...config(), cbrUrl: undefined };
  await new RateKeeper({
    sql: harness.database.sql,
    config: off,
    log: createLog({ program: 'test', level: 'silent' }),
    now: () => now,
  }).keepFresh();
  expect(bank.requestedDates).toHaveLength(1);
  expect(await inForce(off)).toBe('90 configured null');
});

test('the catalogue is published again with every new rate, its date and source', async () => {
  await harness.applyCatalogue(testCatalogue('http://127.0.0.1:1'));
  const publish = async () => {
    const { database, redis } = harness;
    await keepCataloguePublished({ database, redis, rate: await readRate(database.sql, config()) });
    return decodeCatalogue((await redis.hget(catalogueKey, catalogueFields.document)) ?? '').rubRate;
  };
  expect(await publish()).toEqual({ perUsd: '90', date: null, source: 'configured' });
  await keeperOf().keepFresh();
  const rubRate = { perUsd: '81.2345', date: '2026-11-21', source: 'cbr' } as const;
  expect(await publish()).toEqual(rubRate);
});
