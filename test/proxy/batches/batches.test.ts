/** /v1/batches through the real programs and the official client: every line is answered and charged, or has failed and is free. */
import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import OpenAI from 'openai';
import { Batches } from '../../../proxy/storage/batches.ts';
import { Files, newFileId } from '../../../proxy/storage/files.ts';
import { SealedObjects } from '../../../proxy/storage/sealed-objects.ts';
import { guardTimeoutMs, readLedger, waitFor } from '../../harness/account-view.ts';
import { violationsAtRest } from '../../harness/books.ts';
import type { Customer } from '../../harness/customers.ts';
import { startGateway } from '../../harness/gateway.ts';
import { closedValidator } from '../../harness/openapi/closed-validator.ts';
import type { OpenApiDocument } from '../../harness/openapi/operations-of.ts';
import { failWith, wholeResponse } from '../../harness/providers/scripted-provider.ts';
import { clientOf, createBatch, endOf, linesOf, resultsOf, runToEnd } from '../../harness/storage/run-batch.ts';
import { filesSecret, openTestStore, type TestStore } from '../../harness/storage/stores.ts';

const place = await openTestStore('folder');
const objectsOf = ({ store }: TestStore) => new SealedObjects(store, () => [filesSecret]);
const { harness, provider, proxy, admin, stop } = await startGateway({ proxyEnvironment: place.environment });

afterAll(async () => {
  await stop();
  await place.remove();
});

/** 10 prompt and 10 completion tokens of test/chat: 24,000 nano-dollars. */
const usage = { promptTokens: 10, completionTokens: 10 };
const costNano = 24_000n;
const answer = wholeResponse({ usage });
const body = (number: number, model = 'test/chat') => ({
  model,
  messages: [{ role: 'user', content: `Line ${number}` }],
});

beforeEach(() => provider.on('upstream-chat', answer));

async function newCustomer(usd = '10') {
  const customer = await harness.createCustomer({ usd });
  const client = clientOf(proxy, customer.proxyKey);
  await waitFor('the wallet', guardTimeoutMs, () => client.files.list().catch(() => undefined));
  return { customer, client };
}

/** They apply once this has resolved. */
async function setLimits({ billingKey, proxyKeyId }: Customer, limits: object): Promise<void> {
  const { status } = await fetch(`${admin.url}/api/keys/${proxyKeyId}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${billingKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ limits }),
  });
  expect(status).toBe(200);
}

async function postponedLines(): Promise<number> {
  const text = await (await fetch(`${proxy.url}/metrics`)).text();
  return Number(/^gateway_batch_lines_total\{outcome="postponed"\} (\d+)$/m.exec(text)?.[1]);
}

const spentOf = async ({ accountId }: Customer) => (await readLedger(harness, accountId)).spentNano;
const booked = (customer: Customer, nano: bigint) =>
  waitFor(`charges of ${nano}`, guardTimeoutMs, async () => (await spentOf(customer)) === nano);
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'none',
    (error: unknown) => (error instanceof OpenAI.APIError ? [error.status, error.code, error.param ?? null] : error),
  );

describe('a batch', () => {
  test('answers every line with its own request, and charges each once', async () => {
    const { customer, client } = await newCustomer();
    const created = await createBatch(client, linesOf(50, body), { metadata: { purpose: 'nightly' } });
    expect(created).toMatchObject({
      object: 'batch',
      status: 'validating',
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
      metadata: { purpose: 'nightly' },
      request_counts: { total: 0, completed: 0, failed: 0 },
    });
    expect((created.expires_at ?? 0) - created.created_at).toBe(86_400);
    const { batch, output, errors } = await resultsOf(client, await endOf(client, created));
    expect(batch).toMatchObject({ status: 'completed', request_counts: { total: 50, completed: 50, failed: 0 } });
    for (const at of [batch.in_progress_at, batch.finalizing_at, batch.completed_at]) expect(at).toBeNumber();
    expect(errors).toEqual([]);
    expect(output.map(({ custom_id: id }) => id).sort()).toEqual(
      Array.from({ length: 50 }, (_, index) => `line-${index + 1}`).sort(),
    );
    for (const { response, error } of output) {
      expect(error).toBeNull();
      expect(response).toMatchObject({ status_code: 200, body: { usage: { cost: 0.000024 } } });
    }
    await booked(customer, 50n * costNano);
    expect(await violationsAtRest(harness, [customer.accountId])).toEqual([]);
    const file = await client.files.retrieve(batch.output_file_id ?? '');
    expect(file).toMatchObject({ purpose: 'batch_output', filename: `${batch.id}_output.jsonl` });
  });

  test('names the request of each line, which has its receipt', async () => {
    const { customer, client } = await newCustomer();
    const { output } = await runToEnd(client, linesOf(3, body));
    await booked(customer, 3n * costNano);
    for (const { response } of output) {
      const { sql } = harness.database;
      const rows = await sql`SELECT 1 FROM usage_events WHERE request_id = ${response?.request_id ?? ''}`;
      expect(rows).toHaveLength(1);
    }
  });

  test('lists lines that are refused as errors, and charges nothing for them', async () => {
    const { customer, client } = await newCustomer();
    provider.on('upstream-chat', (truth, request) =>
      truth.prompt === 'Line 2' ? failWith(400, 'not like this')(truth, request) : answer(truth, request),
    );
    const lines = linesOf(4, (number) => body(number, number === 3 ? 'no/such-model' : 'test/chat'));
    const { batch, output, errors } = await runToEnd(client, lines);
    expect(batch.request_counts).toEqual({ total: 4, completed: 2, failed: 2 });
    expect(output.map(({ custom_id: id }) => id).sort()).toEqual(['line-1', 'line-4']);
    const codes = errors.map(({ custom_id: id, response }) => [id, response?.status_code, response?.body.error?.code]);
    expect(codes.sort()).toEqual([
      ['line-2', 400, 'upstream_rejected_request'],
      ['line-3', 404, 'model_not_found'],
    ]);
    await booked(customer, 2n * costNano);
    expect(await violationsAtRest(harness, [customer.accountId])).toEqual([]);
  });

  test('tries lines again whose provider fails, without a charge for what has failed', async () => {
    const { customer, client } = await newCustomer();
    const seen = new Map<string, number>();
    provider.on('upstream-chat', (truth, request) => {
      const times = (seen.get(truth.prompt) ?? 0) + 1;
      seen.set(truth.prompt, times);
      return times <= 4 ? failWith(500, 'broken')(truth, request) : answer(truth, request);
    });
    const { batch, output } = await runToEnd(client, linesOf(2, body));
    expect([batch.status, output.length]).toEqual(['completed', 2]);
    await booked(customer, 2n * costNano);
  });

  test('fails lines that the balance does not cover, and charges the others', async () => {
    const { customer, client } = await newCustomer('0.00005');
    const lines = linesOf(5, (number) => ({ ...body(number), max_tokens: 10 }));
    const { output, errors } = await runToEnd(client, lines);
    expect(output.length + errors.length).toBe(5);
    expect(errors.length).toBeGreaterThan(0);
    for (const { response } of errors) expect(response?.body.error?.code).toBe('insufficient_balance');
    await booked(customer, BigInt(output.length) * costNano);
    expect(await violationsAtRest(harness, [customer.accountId])).toEqual([]);
  });

  test('has lines wait that a spending limit covers once their siblings have been charged', async () => {
    const { customer, client } = await newCustomer();
    await setLimits(customer, { spendLimits: { total: '0.00025' } });
    const mayAnswer = Promise.withResolvers<void>();
    provider.on('upstream-chat', async (truth, request) => {
      await mayAnswer.promise;
      return answer(truth, request);
    });
    const before = await postponedLines();
    const created = await createBatch(
      client,
      linesOf(5, (number) => ({ ...body(number), max_tokens: 10 })),
    );
    await waitFor('lines to be held back', guardTimeoutMs, async () => {
      const { request_counts: counts } = await client.batches.retrieve(created.id);
      return (await postponedLines()) > before || (counts?.failed ?? 0) > 0;
    });
    mayAnswer.resolve();
    const { output, errors } = await resultsOf(client, await endOf(client, created));
    expect([output.length, errors]).toEqual([5, []]);
    await booked(customer, 5n * costNano);
    expect(await violationsAtRest(harness, [customer.accountId])).toEqual([]);
  });

  test('has lines without a cap wait for what their siblings hold, instead of cutting their output', async () => {
    const { customer, client } = await newCustomer('0.1');
    const mayAnswer = Promise.withResolvers<void>();
    provider.on('upstream-priced', async (truth, request) => {
      await mayAnswer.promise;
      return answer(truth, request);
    });
    const [before, start] = [await postponedLines(), provider.requests.length];
    // Each holds $0.04096 until it is charged $0.0001.
    const created = await createBatch(
      client,
      linesOf(3, (number) => body(number, 'test/priced-output')),
    );
    const sent = () => provider.requests.slice(start).map(({ text }) => JSON.parse(text).max_tokens as number);
    await waitFor('all to be sent, or held back', guardTimeoutMs, async () => {
      return sent().length + (await postponedLines()) - before >= 3;
    });
    mayAnswer.resolve();
    const { output } = await resultsOf(client, await endOf(client, created));
    expect([output.length, sent()]).toEqual([3, [4_096, 4_096, 4_096]]);
    await booked(customer, 300_000n);
  });

  test('fails lines that a spending limit does not cover, and charges the others', async () => {
    const { customer, client } = await newCustomer();
    await setLimits(customer, { spendLimits: { total: '0.0002' } });
    const { output, errors } = await runToEnd(
      client,
      linesOf(12, (number) => ({ ...body(number), max_tokens: 10 })),
    );
    expect(output.length + errors.length).toBe(12);
    expect(errors.length).toBeGreaterThan(0);
    for (const { response } of errors) expect(response?.body.error?.code).toBe('key_limit_exceeded');
    await booked(customer, BigInt(output.length) * costNano);
  });

  test('waits for no rate limit, and takes nothing of it', async () => {
    const { customer, client } = await newCustomer();
    await setLimits(customer, { rateLimits: { requestsPerMinute: 60, tokensPerMinute: 100, concurrentStreams: 1 } });
    const { output } = await runToEnd(client, linesOf(80, body));
    expect(output).toHaveLength(80);
    const wallet = await harness.redis.hgetall(`{s${customer.accountId % 64}}:wallet:${customer.accountId}`);
    expect(Number(wallet.streams ?? 0)).toBe(0);
    const { response } = await client.chat.completions
      .create({ ...body(1), messages: [{ role: 'user', content: 'Now' }], max_tokens: 5 })
      .withResponse();
    expect(Number(response.headers.get('x-ratelimit-remaining-tokens'))).toBeGreaterThan(50);
  });

  test('keeps integers of any size, empty lines apart, and responses of several lines as one', async () => {
    const { client } = await newCustomer();
    provider.on('upstream-chat', async (truth, request) => {
      const text = await (await answer(truth, request)).text();
      return new Response(JSON.stringify(JSON.parse(text), null, 2), {
        headers: { 'content-type': 'application/json' },
      });
    });
    const start = provider.requests.length;
    const [line = ''] = linesOf(1, (number) => ({ ...body(number), seed: 'SEED' }));
    const { output } = await runToEnd(client, ['', line.replace('"SEED"', '9223372036854775807'), '  ']);
    expect(output).toHaveLength(1);
    expect(provider.requests.slice(start).map(({ text }) => text.includes('9223372036854775807'))).toEqual([true]);
  });

  test('runs each of its endpoints', async () => {
    const { client } = await newCustomer();
    const { output } = await runToEnd(
      client,
      linesOf(1, () => ({ model: 'test/chat', input: 'Hello' }), '/v1/responses'),
      { endpoint: '/v1/responses' },
    );
    expect(output[0]?.response?.body).toMatchObject({ object: 'response' });
  });
});

test('files, batches and lists are as the document describes them', async () => {
  const { client, customer } = await newCustomer();
  const { batch } = await runToEnd(client, [...linesOf(1, body), '{}']);
  expect(batch.status).toBe('failed');
  await runToEnd(
    client,
    linesOf(2, (number) => body(number, number === 1 ? 'no/model' : 'test/chat')),
  );
  const document = (await (await fetch(`${proxy.url}/v1/openapi.json`)).json()) as OpenApiDocument;
  const { problems } = closedValidator(document);
  const read = async (path: string) =>
    (await fetch(`${proxy.url}/v1/${path}`, { headers: { authorization: `Bearer ${customer.proxyKey}` } })).json();
  expect(problems('#/components/schemas/BatchList', await read('batches'))).toEqual([]);
  expect(problems('#/components/schemas/Batch', await read(`batches/${batch.id}`))).toEqual([]);
  expect(problems('#/components/schemas/FileList', await read('files'))).toEqual([]);
  expect(problems('#/components/schemas/File', await read(`files/${batch.input_file_id}`))).toEqual([]);
});

test('a batch fails, and nothing is run, if its input is none', async () => {
  const good = linesOf(2, body);
  const noBody = { custom_id: 'a', method: 'POST', url: '/v1/chat/completions' };
  const noId = { method: 'POST', url: '/v1/chat/completions', body: {} };
  const inputs: readonly [name: string, lines: readonly string[], code: string, line: number | null][] = [
    ['a line that is no JSON', [...good, '{"custom_id": '], 'invalid_json_line', 3],
    ['the same custom_id twice', [good[0] ?? '', good[0] ?? ''], 'duplicate_custom_id', 2],
    ['another endpoint', linesOf(1, body, '/v1/embeddings'), 'invalid_url', 1],
    ['another method', [(good[0] ?? '').replace('POST', 'GET')], 'invalid_method', 1],
    ['no body', [JSON.stringify(noBody)], 'missing_required_parameter', 1],
    ['a streamed line', linesOf(1, (number) => ({ ...body(number), stream: true })), 'invalid_stream', 1],
    ['no custom_id', [JSON.stringify(noId)], 'invalid_custom_id', 1],
    ['empty lines alone', ['', ' '], 'empty_file', null],
  ];
  const { client, customer } = await newCustomer();
  const start = provider.requests.length;
  await Promise.all(
    inputs.map(async ([name, lines, code, line]) => {
      const { batch, output, errors } = await runToEnd(client, lines);
      expect([name, batch.status]).toEqual([name, 'failed']);
      expect(batch.failed_at).toBeNumber();
      expect([name, batch.errors?.data?.[0]]).toEqual([name, expect.objectContaining({ code, line })]);
      expect([name, output.length, errors.length]).toEqual([name, 0, 0]);
    }),
  );
  expect(provider.requests).toHaveLength(start);
  expect(await spentOf(customer)).toBe(0n);
});

describe('refused', () => {
  test('a batch of a file that is not there, of another organization, or with unknown values', async () => {
    const [one, other] = [await newCustomer(), await newCustomer()];
    const { input_file_id: id } = await createBatch(one.client, linesOf(1, body));
    const create = (client: OpenAI, more: object) =>
      codeOf(
        client.batches.create({
          input_file_id: id,
          endpoint: '/v1/chat/completions',
          completion_window: '24h',
          ...more,
        }),
      );
    const refused = (param: string) => [400, 'invalid_parameter', param];
    expect(await create(other.client, {})).toEqual(refused('input_file_id'));
    expect(await create(one.client, { input_file_id: 'file-x' })).toEqual(refused('input_file_id'));
    expect(await create(one.client, { endpoint: '/v1/images/generations' })).toEqual(refused('endpoint'));
    expect(await create(one.client, { completion_window: '1h' })).toEqual(refused('completion_window'));
    expect(await create(one.client, { metadata: { a: 1 } })).toEqual(refused('metadata'));
  });

  test('another organization neither sees nor cancels a batch', async () => {
    const [one, other] = [await newCustomer(), await newCustomer()];
    const { id } = await createBatch(one.client, linesOf(1, body));
    expect(await codeOf(other.client.batches.retrieve(id))).toEqual([404, 'not_found', null]);
    expect(await codeOf(other.client.batches.cancel(id))).toEqual([404, 'not_found', null]);
    expect((await other.client.batches.list()).data).toEqual([]);
    expect((await one.client.batches.list()).data.map((batch) => batch.id)).toEqual([id]);
  });

  test('more batches than an organization may have at once, where no proxy runs them', async () => {
    const { customer } = await newCustomer();
    const own = await openTestStore('folder');
    const idle = await harness.openProxy({ ...own.environment, BATCH_CONCURRENCY: '0' });
    const client = clientOf(idle, customer.proxyKey);
    const { input_file_id: id } = await createBatch(client, linesOf(1, body));
    const create = () =>
      client.batches.create({ input_file_id: id, endpoint: '/v1/chat/completions', completion_window: '24h' });
    const refused = [422, 'too_many_batches', null];
    const together = await Promise.all(Array.from({ length: 60 }, () => codeOf(create())));
    expect(together.filter((code) => code === 'none')).toHaveLength(49);
    expect(together.filter((code) => code !== 'none')).toEqual(Array.from({ length: 11 }, () => refused));
    expect(await codeOf(create())).toEqual(refused);
    const stored = new Batches(objectsOf(own));
    const { accountId } = customer;
    expect([await stored.list(accountId), await stored.listUnfinished(accountId)].map(({ length }) => length)).toEqual([
      50, 50,
    ]);
    await idle.stop();
    await own.remove();
  });

  test('of an organization whose files have no room for results', async () => {
    const { client, customer } = await newCustomer();
    const { input_file_id: id } = await createBatch(client, linesOf(1, body));
    const later = Math.floor(Date.now() / 1_000) + 1_000;
    await objectsOf(place).writeText(
      `files/${customer.accountId}/${newFileId()},batch_output,${10 ** 15},${later}`,
      '{}',
    );
    const create = client.batches.create({
      input_file_id: id,
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    });
    expect(await codeOf(create)).toEqual([422, 'too_many_files', null]);
  });

  test('deleting the input of a batch that has not ended', async () => {
    const { client } = await newCustomer();
    provider.on('upstream-chat', failWith(503, 'later'));
    const batch = await createBatch(client, linesOf(1, body));
    expect(await codeOf(client.files.delete(batch.input_file_id))).toEqual([409, 'file_in_use', null]);
    await client.batches.cancel(batch.id);
    await endOf(client, batch);
    expect((await client.files.delete(batch.input_file_id)).deleted).toBe(true);
    expect(await codeOf(client.batches.cancel(batch.id))).toEqual([409, 'batch_ended', null]);
  });
});

test('batches that only wait keep out none of another organization', async () => {
  const [one, other] = [await newCustomer(), await newCustomer()];
  let failed = 0;
  provider.on('upstream-priced', (truth, request) => {
    failed += 1;
    return failWith(503, 'later')(truth, request);
  });
  const waiting = await Promise.all(
    Array.from({ length: 10 }, () =>
      createBatch(
        one.client,
        linesOf(1, (number) => body(number, 'test/priced-output')),
      ),
    ),
  );
  await waitFor('lines to fail', guardTimeoutMs, async () => failed > 0);
  await waitFor('the usual number to run', guardTimeoutMs, async () => {
    const batches = await Promise.all(waiting.map(({ id }) => one.client.batches.retrieve(id)));
    return batches.filter(({ status }) => status === 'in_progress').length >= 8;
  });
  const { batch, output } = await runToEnd(other.client, linesOf(2, body));
  expect([batch.status, output.length]).toEqual(['completed', 2]);
  await Promise.all(waiting.map(({ id }) => one.client.batches.cancel(id)));
  for (const each of waiting) await endOf(one.client, each);
});

test('files that another proxy began to write are replaced by others, and are gone', async () => {
  const { customer } = await newCustomer();
  const own = await openTestStore('folder');
  const idle = await harness.openProxy({ ...own.environment, BATCH_CONCURRENCY: '0' });
  const created = await createBatch(clientOf(idle, customer.proxyKey), linesOf(1, body));
  const [files, batches] = [new Files(objectsOf(own), { maxBytes: 10 ** 12 }), new Batches(objectsOf(own))];
  const [outputFileId, errorFileId] = [newFileId(), newFileId()];
  const finalizingAt = created.created_at;
  const state = { status: 'finalizing', ending: 'completed', finalizingAt, total: 1, completed: 1, failed: 0 } as const;
  const listed = { id: created.id, accountId: customer.accountId };
  await batches.writeState(listed, { term: 1, state: { ...state, outputFileId, errorFileId } });
  const begun = await files.create(customer.accountId, outputFileId);
  await begun.write(Buffer.from('half'));
  const times = { createdAt: finalizingAt, expiresAt: finalizingAt + 100_000 };
  await begun.keep({ purpose: 'batch_output', filename: 'half.jsonl', ...times });

  const next = await harness.openProxy(own.environment);
  const client = clientOf(next, customer.proxyKey);
  const { batch } = await resultsOf(client, await endOf(client, created));
  expect([batch.status, batch.output_file_id ?? null]).toEqual(['completed', null]);
  expect(await codeOf(client.files.retrieve(outputFileId))).toEqual([404, 'not_found', null]);
  await Promise.all([idle.stop(), next.stop()]);
  await own.remove();
});

test('a cancelled batch begins no further line, and what it has not begun fails without a charge', async () => {
  const { client, customer } = await newCustomer();
  let begun = 0;
  const held = Promise.withResolvers<void>();
  provider.on('upstream-chat', async (truth, request) => {
    if (truth.prompt.startsWith('Held')) begun += 1;
    await held.promise;
    return answer(truth, request);
  });
  const heldBody = (number: number) => ({ ...body(number), messages: [{ role: 'user', content: `Held ${number}` }] });
  const created = await createBatch(client, linesOf(100, heldBody));
  await waitFor('lines to run', guardTimeoutMs, async () => begun > 0);
  expect((await client.batches.cancel(created.id)).status).toBe('cancelling');
  await waitFor('the runner to have stopped', guardTimeoutMs, async () => {
    const before = begun;
    await Bun.sleep(1_500);
    return before === begun;
  });
  held.resolve();
  const { batch, output, errors } = await resultsOf(client, await endOf(client, created));
  expect(batch.status).toBe('cancelled');
  expect(batch.cancelled_at).toBeNumber();
  expect(output).toHaveLength(begun);
  expect(errors).toHaveLength(100 - begun);
  expect(new Set(errors.map(({ error }) => error?.code))).toEqual(new Set(['batch_cancelled']));
  expect(batch.request_counts).toEqual({ total: 100, completed: begun, failed: 100 - begun });
  await booked(customer, BigInt(begun) * costNano);
  expect(await violationsAtRest(harness, [customer.accountId])).toEqual([]);
});

test('the lines of a deleted key fail, and are free', async () => {
  const { client, customer } = await newCustomer();
  const held = Promise.withResolvers<void>();
  provider.on('upstream-chat', async (truth, request) => {
    await held.promise;
    return answer(truth, request);
  });
  const created = await createBatch(client, linesOf(60, body));
  await waitFor(
    'lines to run',
    guardTimeoutMs,
    async () => (await client.batches.retrieve(created.id)).status === 'in_progress',
  );
  const other = (await (
    await fetch(`${admin.url}/api/keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${customer.billingKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'another' }),
    })
  ).json()) as { key: string };
  await fetch(`${admin.url}/api/keys/${customer.proxyKeyId}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${customer.billingKey}` },
  });
  held.resolve();
  const second = clientOf(proxy, other.key);
  const { output, errors } = await resultsOf(second, await endOf(second, created));
  expect(output.length + errors.length).toBe(60);
  expect(errors.length).toBeGreaterThan(0);
  for (const { response } of errors) expect(response?.body.error?.code).toBe('invalid_api_key');
  await booked(customer, BigInt(output.length) * costNano);
});
