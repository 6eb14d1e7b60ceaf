/** Usage by day, model and key: always the sum of the events, for the days of any time zone. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { applyCharges } from '../../../../admin/ledger/charges/apply-charges.ts';
import type { Charge } from '../../../../admin/ledger/charges/read-usage-entry.ts';
import { formatUsd, nanoUsd, parseUsd } from '../../../../shared/money.ts';
import { noUnits } from '../../../../shared/usage/billable-units.ts';
import { type Customer, testPassword } from '../../../harness/customers.ts';
import { parseCsv } from '../../../harness/read-files.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { chargeOf } from '../../ledger/ledger.ts';
import type { CreatedKey, RequestList } from '../response-types.ts';
import { type Api, logIn, startApi } from '../start-api.ts';

let harness: Harness;
let api: Api;
let customer: Customer & { token: string };
beforeAll(async () => {
  harness = await startHarness();
  api = await startApi(harness);
  customer = await newCustomer();
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

async function newCustomer() {
  const created = await harness.createCustomer({ usd: '10' });
  return { ...created, token: await logIn(api, created.email, testPassword) };
}

/** A correction may be negative. */
const parseSigned = (text: string) => (text.startsWith('-') ? -parseUsd(text.slice(1)) : parseUsd(text));

interface Group {
  readonly day?: string;
  readonly hour?: string;
  readonly model?: string;
  readonly keyId?: number;
  readonly keyName?: string | null;
  readonly requests: number;
  readonly cost: string;
}

const usage = (query: Readonly<Record<string, string>>, token = customer.token) =>
  api.call<{ timeZone: string; usage: Group[] }>('GET', `/api/usage?${new URLSearchParams(query)}`, { token });

function chargeAt(
  owner: Customer,
  chargedAt: string,
  change: Partial<Charge['detail']> & { cost?: bigint } = {},
): Charge {
  const { cost = 100n, ...detail } = change;
  const charge = chargeOf(owner.accountId, { keyId: owner.proxyKeyId, chargedAt: new Date(chargedAt), costNano: cost });
  return { ...charge, detail: { ...charge.detail, ...detail } };
}

describe('the sums', () => {
  let owner: Customer & { token: string };
  const models = ['test/chat', 'test/failover', 'other'];
  beforeAll(async () => {
    owner = await newCustomer();
    const { body: key } = await api.call<CreatedKey>('POST', '/api/proxy-keys', {
      token: owner.token,
      body: { name: 'second' },
    });
    // Over eight days, in steps that never reach the same hour twice; every third one is an estimate corrected in
    // another quarter.
    const charges = Array.from({ length: 200 }, (_, index): Charge => {
      const time = new Date(Date.UTC(2030, 2, 25) + index * 3_457_000).toISOString();
      const detail = { model: models[index % 3] ?? '', promptTokens: index, cachedPromptTokens: index % 7 };
      const charge = chargeAt(owner, time, { ...detail, cost: BigInt(index * 1_001) });
      return { ...charge, ...(index % 4 === 0 && { keyId: key.id }), ...(index % 3 === 0 && { rank: 1 as const }) };
    });
    await applyCharges(harness.database.sql, charges);
    const corrections = charges
      .filter(({ rank }) => rank === 1)
      .map((charge): Charge => {
        const chargedAt = new Date(charge.chargedAt.getTime() + 1_200_000);
        return { ...charge, rank: 2, chargedAt, costNano: charge.costNano + 7n };
      });
    await applyCharges(harness.database.sql, corrections);
    await applyCharges(harness.database.sql, [chargeAt(customer, '2030-03-26T00:00:00Z')]);
  });

  /** The lines of the ledger, grouped by Postgres in the simplest way. */
  async function truth(zone: string, groupBy: readonly string[]): Promise<Map<string, string>> {
    const rows = await harness.database.sql`
      SELECT (line.created_at AT TIME ZONE ${zone})::date::text AS day, line.model, event.key_id,
        -line.amount_nano AS cost
      FROM journal_lines AS line JOIN usage_events AS event USING (request_id)
      WHERE line.account_id = ${owner.accountId} AND event.charged_at = line.created_at`;
    const sums = new Map<string, bigint>();
    for (const { day, model, key_id, cost } of rows) {
      const words: Record<string, string> = { day, model, key: key_id };
      const group = groupBy.map((word) => words[word]).join(' ');
      sums.set(group, (sums.get(group) ?? 0n) + BigInt(cost));
    }
    return new Map([...sums].map(([group, nano]) => [group, formatUsd(nanoUsd(nano))]));
  }

  // With half-hour and quarter-hour offsets, and with the nights on which clocks change.
  const zones = ['UTC', 'Europe/Moscow', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Europe/Berlin', 'America/St_Johns'];
  const groupings = [['day'], ['model'], ['key'], ['day', 'model'], ['day', 'model', 'key']];
  test.each(zones.flatMap((zone) => groupings.map((groupBy) => [zone, groupBy] as const)))(
    'the sums in %s by %p equal those of the ledger',
    async (timeZone, groupBy) => {
      const range = { from: '2030-03-01', to: '2030-05-01' };
      const { status, body } = await usage({ ...range, timeZone, groupBy: groupBy.join(',') }, owner.token);
      expect(status).toBe(200);
      const reported = body.usage.map(({ day, model, keyId, cost }) => {
        const group = [day, model, keyId].filter((word) => word !== undefined).join(' ');
        return [group, cost] as const;
      });
      // Lines of zero are not in the ledger; groups of zero may be in the response.
      const costly = reported.filter(([, cost]) => cost !== '0');
      expect(Object.fromEntries(costly)).toEqual(Object.fromEntries(await truth(timeZone, groupBy)));
    },
  );

  test.each([
    ['Asia/Calcutta', 'Asia/Kolkata'],
    ['America/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
    ['Europe/Kiev', 'Europe/Kyiv'],
  ])('the sums in %s, as browsers report it, equal those of %s', async (former, name) => {
    const read = async (timeZone: string) => {
      const range = { from: '2030-03-01', to: '2030-05-01', timeZone };
      return (await usage({ ...range, groupBy: 'day,hour' }, owner.token)).body.usage;
    };
    expect(await read(former)).toEqual(await read(name));
    expect((await read(former)).length).toBeGreaterThan(100);
  });

  test('the sums of tokens and requests come from the latest event of each request', async () => {
    const { body } = await usage({ from: '2030-03-01', to: '2030-05-01', groupBy: 'model' }, owner.token);
    const rows = await harness.database.sql`
      SELECT model, count(*) AS requests, sum(prompt_tokens) AS prompt, sum(cached_prompt_tokens) AS cached,
        sum(completion_tokens) AS completion, sum(reasoning_tokens) AS reasoning, sum(cost_nano) AS cost
      FROM (SELECT DISTINCT ON (request_id) * FROM usage_events WHERE account_id = ${owner.accountId}
        ORDER BY request_id, rank DESC) AS last
      GROUP BY model ORDER BY model`;
    expect(body.usage).toEqual(
      rows.map((row) => ({
        model: row.model,
        requests: Number(row.requests),
        ...noUnits,
        promptTokens: Number(row.prompt),
        cachedPromptTokens: Number(row.cached),
        completionTokens: Number(row.completion),
        reasoningTokens: Number(row.reasoning),
        cost: formatUsd(nanoUsd(BigInt(row.cost))),
      })),
    );
  });

  test('the sums of each day and model equal what its requests booked, to the nano-dollar', async () => {
    const zone = 'Europe/Moscow';
    const { body } = await usage(
      { from: '2030-03-01', to: '2030-05-01', timeZone: zone, groupBy: 'day,model' },
      owner.token,
    );
    expect(body.usage.length).toBeGreaterThan(20);
    for (const { day = '', model = '', cost } of body.usage) {
      const from = new Date(`${day}T00:00:00+03:00`);
      const range = { from: from.toISOString(), to: new Date(from.getTime() + 86_400_000).toISOString() };
      const query = new URLSearchParams({ ...range, model, replaced: 'true' });
      const path = `/api/requests?${query}`;
      const { requests, nextCursor } = (await api.call<RequestList>('GET', path, { token: owner.token })).body;
      expect(nextCursor).toBeNull();
      const booked = requests.reduce((sum, request) => sum + parseSigned(request.booked), 0n);
      expect({ day, model, cost: formatUsd(nanoUsd(booked)) }).toEqual({ day, model, cost });
    }
  });

  test('the sums by hour are identified by the start of the hour, and add up to those by day', async () => {
    const range = { from: '2030-03-26', to: '2030-03-28', timeZone: 'Asia/Kathmandu' };
    const byDay = (await usage({ ...range, groupBy: 'day' }, owner.token)).body.usage;
    const byHour = (await usage({ ...range, groupBy: 'day,hour' }, owner.token)).body.usage;
    for (const { day, cost } of byDay) {
      const hours = byHour.filter((group) => group.day === day);
      expect(formatUsd(nanoUsd(hours.reduce((sum, group) => sum + parseSigned(group.cost), 0n)))).toBe(cost);
      // In Kathmandu, hours begin at a quarter past.
      for (const { hour = '' } of hours) expect(hour).toMatch(/:15:00\.000Z$/);
    }
  });

  test('are exported as CSV with the names of keys', async () => {
    const query = { from: '2030-03-01', to: '2030-05-01', groupBy: 'model,key' };
    const { body } = await usage(query, owner.token);
    const path = `/api/usage/export?${new URLSearchParams(query)}`;
    const { status, headers, body: file } = await api.call<string>('GET', path, { token: owner.token });
    expect(status).toBe(200);
    expect(headers.get('content-disposition')).toBe('attachment; filename="usage.csv"');
    const rows = parseCsv(file);
    expect(rows.map(({ model, keyId, requests, cost }) => [model, keyId, requests, cost])).toEqual(
      body.usage.map(({ model, keyId, requests, cost }) => [model, String(keyId), String(requests), cost]),
    );
    expect(rows.map(({ keyName }) => keyName)).toEqual(body.usage.map(({ keyName }) => keyName ?? ''));
    expect(new Set(rows.map(({ keyName }) => keyName))).toEqual(new Set(['test', 'second']));
  });

  test('the sums of consecutive ranges count every charge once', async () => {
    const requestsIn = async (from: string, to: string) => {
      const { body } = await usage({ from, to, groupBy: 'model' }, owner.token);
      return body.usage.reduce((sum, { requests }) => sum + requests, 0);
    };
    const middle = '2030-03-28T10:15:00Z';
    const first = await requestsIn('2030-03-01', middle);
    expect(first).toBeGreaterThan(0);
    expect(first + (await requestsIn(middle, '2030-05-01'))).toBe(200);
  });
});

test('the days of usage are those of the time zone, including at the ends of the range', async () => {
  const owner = await newCustomer();
  const charges = ['2030-01-31T20:59:59Z', '2030-01-31T21:00:00Z', '2030-02-01T20:59:59Z', '2030-02-01T21:00:00Z'];
  await applyCharges(
    harness.database.sql,
    charges.map((time) => chargeAt(owner, time)),
  );
  const query = { from: '2030-02-01', to: '2030-02-02', timeZone: 'Europe/Moscow' };
  const { body } = await usage(query, owner.token);
  expect(body).toMatchObject({ from: '2030-01-31T21:00:00.000Z', to: '2030-02-01T21:00:00.000Z' });
  expect(body.usage.map(({ day, requests }) => [day, requests])).toEqual([['2030-02-01', 2]]);
});

test('the default range of usage is today and the 29 days before', async () => {
  const owner = await newCustomer();
  const now = Date.now();
  const day = (ago: number) => new Date(now - ago * 86_400_000).toISOString();
  await applyCharges(
    harness.database.sql,
    [0, 29, 31].map((ago) => chargeAt(owner, day(ago))),
  );
  const { status, body } = await usage({}, owner.token);
  expect(status).toBe(200);
  expect(body.timeZone).toBe('UTC');
  expect(body.usage.map((group) => group.day)).toEqual([day(29), day(0)].map((text) => text.slice(0, 10)));
});

test('another customer’s usage is not visible', async () => {
  const { body } = await usage({ from: '2030-03-01', to: '2030-05-01' }, (await newCustomer()).token);
  expect(body.usage).toEqual([]);
});

test.each([
  ['timeZone', { timeZone: 'Europe/Muscovy' }],
  ['timeZone', { timeZone: '+03:00' }],
  ['timeZone', { timeZone: 'MSK' }],
  ['timeZone', { timeZone: "UTC'" }],
  ['timeZone', { timeZone: 'XYZ5', from: '2030-01-01T00:00:00Z', to: '2030-01-02T00:00:00Z' }],
  ['groupBy', { groupBy: 'minute' }],
  ['groupBy', { groupBy: 'day,' }],
  ['groupBy', { groupBy: '' }],
  ['from', { from: '2030-02-30', to: '2030-03-05' }],
  ['from', { from: '2030-01-01T00:07:00Z' }],
  ['from', { from: 'yesterday' }],
  ['from', { from: '2028-01-01', to: '2030-01-01' }],
  ['to', { from: '2030-01-02', to: '2030-01-02' }],
  ['to', { from: '2030-01-02', to: '2030-01-01' }],
])('the usage endpoint returns 400 that names %s for %j', async (param, query) => {
  const { status, error } = await usage(query as Record<string, string>);
  expect({ status, param: error?.param }).toEqual({ status: 400, param });
});
