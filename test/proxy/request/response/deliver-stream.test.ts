/**
 * A streamed response is delivered and settled once, whatever the server and the client do with its body. Uses a real
 * RunningRequest, and a provider whose every byte is a chunk of one token.
 */

import { afterEach, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { WholeLines } from '../../../../proxy/nouns/framing/framing.ts';
import { httpResponseOf } from '../../../../proxy/nouns/http-response.ts';
import { noUsage } from '../../../../proxy/nouns/usage.ts';
import { OutputSpeeds } from '../../../../proxy/pricing/output-speed.ts';
import type { ResponseStream } from '../../../../proxy/providers/adapter.ts';
import { RequestMetrics } from '../../../../proxy/request/metrics/request-metrics.ts';
import { Timeline } from '../../../../proxy/request/metrics/timeline.ts';
import { AbandonedResponses } from '../../../../proxy/request/response/abandoned-responses.ts';
import { deliverStream } from '../../../../proxy/request/response/deliver-stream.ts';
import type { Decision } from '../../../../proxy/request/settlement/decision.ts';
import { ReplayBuffer } from '../../../../proxy/request/settlement/replay-buffer.ts';
import { RunningRequest } from '../../../../proxy/request/settlement/running-request.ts';
import type { StreamedResponse } from '../../../../proxy/request/upstream/attempt.ts';
import { UpstreamStream } from '../../../../proxy/request/upstream/upstream-stream.ts';
import { monotonicMs } from '../../../../shared/durations.ts';
import { createLog } from '../../../../shared/log.ts';
import { nanoUsd, picoUsdEach } from '../../../../shared/money.ts';
import { shardOfAccount } from '../../../../shared/wallet/shard.ts';
import { Wallet } from '../../../../shared/wallet/wallet.ts';
import { pricesAt } from '../../../harness/prices.ts';

const log = createLog({ program: 'test', level: 'silent' });
const unused = () => Promise.reject(new Error('not asked'));
const stops: (() => unknown)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const wallet = new Wallet({ evalsha: unused, eval: unused, xrange: unused });

/** Records the decisions that are submitted. */
class Decisions extends ReplayBuffer {
  readonly taken: Decision[] = [];

  override async submit(decision: Decision): Promise<undefined> {
    this.taken.push(decision);
  }
}

function startRequest(kind: 'completion' | 'speech' = 'completion') {
  const decisions = new Decisions({ wallet, log, metrics: new RequestMetrics(), isUnchanged: unused });
  const ended = Promise.withResolvers<void>();
  const running = new RunningRequest(
    {
      held: { requestId: 'r', shard: shardOfAccount(1), accountId: 1, keyId: 1, epoch: '1' },
      model: {
        id: 'm',
        kind,
        ownedBy: 'test',
        createdAt: 0,
        contextTokens: 1_000_000,
        maxOutputTokens: 1_000_000,
        // A nano-dollar for each token of the response.
        prices: {
          ...pricesAt({ prompt: 0n, completion: 1_000n, reasoning: 0n }),
          ...(kind === 'speech' && { each: { character: picoUsdEach(2_000n) } }),
        },
        deployments: [],
      },
      amountNano: nanoUsd(0n),
      outputCap: 1_000_000,
      choices: 1,
      promptTokensMax: 0,
      startedAtMs: Date.now(),
      dimensions: null,
      timeline: new Timeline(),
      heldAtMs: monotonicMs(),
    },
    {
      ...{ wallet, replayBuffer: decisions, onEnd: () => ended.resolve() },
      ...{ abandoned: new AbandonedResponses(), speeds: new OutputSpeeds() },
    },
  );
  return { running, decisions: decisions.taken, ended: ended.promise };
}

interface Chunks {
  readonly chunks?: number;
  readonly chunkBytes?: number;
  /** Plain audio instead of events. */
  readonly spokenCharacters?: number;
  /** It breaks off before its last chunk. */
  readonly isCut?: boolean;
}

/** A provider that sends chunks as long as they are read. It ends after `chunks`, or when the request is aborted. */
async function streamedResponse(
  running: RunningRequest,
  { chunks = Number.POSITIVE_INFINITY, chunkBytes = 1, spokenCharacters, isCut = false }: Chunks = {},
) {
  const signal = running.abort.beginAttempt();
  let sent = 0;
  const bytes = new ReadableStream<Uint8Array>(
    {
      start: (controller) => signal.addEventListener('abort', () => controller.error(signal.reason)),
      pull: (controller) => {
        sent += 1;
        controller.enqueue(new Uint8Array(chunkBytes).fill('\n'.charCodeAt(0)));
        if (sent === chunks) controller.close();
        else if (isCut && sent === chunks - 1) controller.error(new Error('cut'));
      },
    },
    { highWaterMark: 0 },
  );
  let pushed = 0;
  const translation: ResponseStream = {
    push: (chunk) => {
      pushed += 1;
      return chunk;
    },
    get complete() {
      return pushed === chunks;
    },
    get ended() {
      return pushed === chunks;
    },
    ...(spokenCharacters !== undefined && { mediaType: 'audio/mpeg' }),
    usage: spokenCharacters === undefined ? null : { ...noUsage, characters: spokenCharacters },
    get deliveredTokens() {
      return spokenCharacters === undefined ? pushed : 0;
    },
    get deliveredTokensMax() {
      return spokenCharacters === undefined ? pushed : 0;
    },
    cutShort: () => '',
    close: () => (spokenCharacters === undefined ? 'end' : ''),
  };
  const stream = new UpstreamStream(httpResponseOf(new Response(bytes)), {
    framing: new WholeLines(),
    translation,
    running,
  });
  await stream.begin(60_000);
  const events = spokenCharacters === undefined && { renderError: () => 'error' };
  return { kind: 'stream', stream, translation: { stream: translation, ...events } } as unknown as StreamedResponse;
}

const delivery = () => ({ headers: new Headers(), log });

test('a body that is read is delivered to its end and settled', async () => {
  const { running, decisions } = startRequest();
  const response = deliverStream(await streamedResponse(running, { chunks: 3 }), running, delivery());
  expect(await response.text()).toBe('\n\n\nend');
  expect(decisions).toEqual([expect.objectContaining({ kind: 'settle', costNano: 3n })]);
});

test('a body that is cancelled before it was pulled is settled', async () => {
  const { running, decisions, ended } = startRequest();
  const response = deliverStream(await streamedResponse(running), running, delivery());
  await response.body?.cancel();
  await ended;
  expect(running.abort.reason).toBe('client_gone');
  expect(decisions).toEqual([expect.objectContaining({ kind: 'settle', costNano: 1n })]);
});

test('a body whose client leaves before it is pulled is settled, and empty when pulled', async () => {
  const { running, decisions, ended } = startRequest();
  const response = deliverStream(await streamedResponse(running), running, delivery());
  running.connection.close();
  await ended;
  expect(await response.text()).toBe('');
  expect(decisions).toHaveLength(1);
});

test('a response whose client left before there was a body is settled', async () => {
  const { running, decisions, ended } = startRequest();
  const response = await streamedResponse(running);
  running.connection.close();
  expect(deliverStream(response, running, delivery()).body).toBeNull();
  await ended;
  expect(decisions).toHaveLength(1);
});

test('a body that is pulled and then cancelled is settled once', async () => {
  const { running, decisions, ended } = startRequest();
  const response = deliverStream(await streamedResponse(running), running, delivery());
  const reader = response.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  running.connection.close();
  await ended;
  expect(decisions).toHaveLength(1);
});

test('a response that its provider bills whole is read to its end even if it was never pulled', async () => {
  const { running, decisions, ended } = startRequest();
  running.connection.onDisconnect = 'drain';
  const response = deliverStream(await streamedResponse(running, { chunks: 50 }), running, delivery());
  await response.body?.cancel();
  await ended;
  expect(decisions).toEqual([expect.objectContaining({ kind: 'settle', costNano: 50n })]);
});

/** Serves a client that never reads; resolves when its connection is closed. */
function serveToPaused(response: () => Response): Promise<void> {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    // Otherwise Bun prints that the connection was reset.
    development: false,
    fetch: response,
  });
  stops.push(() => server.stop(true));
  const socket = connect(server.port ?? 0, '127.0.0.1');
  stops.push(() => socket.destroy());
  socket.pause();
  const broken = new Promise<void>((resolve) => socket.on('error', () => resolve()));
  socket.write('GET / HTTP/1.1\r\nhost: test\r\n\r\n');
  return broken;
}

const large = { chunkBytes: 65_536 };

test('a client that never reads is disconnected after a while, and pays for what was delivered', async () => {
  const { running, decisions, ended } = startRequest();
  const response = await streamedResponse(running, large);
  const broken = serveToPaused(() =>
    deliverStream(response, running, { ...delivery(), limits: { intervalMs: 10, stallTimeoutMs: 50 } }),
  );
  await Promise.all([ended, broken]);
  expect(running.abort.reason).toBe('client_gone');
  expect(decisions).toEqual([
    expect.objectContaining({ kind: 'settle', costNano: BigInt(response.stream.deliveredTokens) }),
  ]);
});

test('a client that never reads is disconnected immediately when a limit of the gateway ends the request', async () => {
  const { running, decisions, ended } = startRequest();
  const response = await streamedResponse(running, large);
  const isBehind = Promise.withResolvers<void>();
  const watch = setInterval(() => {
    if (response.stream.deliveredTokens > 1 && running.lastBytesAtMs === undefined) isBehind.resolve();
  }, 5);
  stops.push(() => clearInterval(watch));
  const broken = serveToPaused(() => deliverStream(response, running, delivery()));
  await isBehind.promise;
  running.timeouts = { idleMs: 1, totalMs: 20_000 };
  await running.check(monotonicMs() + 10_000);
  // The client is silent here, not the provider.
  expect(running.abort.reason).toBeUndefined();
  await running.check(monotonicMs() + 20_001);
  await Promise.all([ended, broken]);
  expect(running.abort.reason).toBe('too_long');
  expect(decisions).toEqual([
    expect.objectContaining({ kind: 'settle', costNano: BigInt(response.stream.deliveredTokens) }),
  ]);
});

const spoken = { spokenCharacters: 30 };

test('audio that is read is delivered as it is, with its cost, and settled', async () => {
  const { running, decisions } = startRequest('speech');
  const response = deliverStream(await streamedResponse(running, { ...spoken, chunks: 3 }), running, delivery());
  expect(await response.text()).toBe('\n\n\n');
  expect(response.headers.get('content-type')).toBe('audio/mpeg');
  expect(response.headers.get('x-cost-usd')).toBe('0.00000006');
  expect(decisions).toEqual([expect.objectContaining({ kind: 'settle', costNano: 60n })]);
});

test('audio whose client leaves is read to its end and paid', async () => {
  const { running, decisions, ended } = startRequest('speech');
  running.connection.onDisconnect = 'drain';
  const response = deliverStream(await streamedResponse(running, { ...spoken, chunks: 3 }), running, delivery());
  await response.body?.cancel();
  await ended;
  expect(running.abort.reason).toBeUndefined();
  expect(decisions).toEqual([expect.objectContaining({ kind: 'settle', costNano: 60n })]);
});

test('audio that its provider breaks off is free', async () => {
  const { running, decisions, ended } = startRequest('speech');
  const response = await streamedResponse(running, { ...spoken, chunks: 3, isCut: true });
  deliverStream(response, running, delivery())
    .body?.getReader()
    .read()
    .catch(() => {});
  await ended;
  expect(decisions).toEqual([expect.objectContaining({ kind: 'release' })]);
});

test('audio that its provider breaks off after its client has left is free', async () => {
  const { running, decisions, ended } = startRequest('speech');
  running.connection.onDisconnect = 'drain';
  const response = await streamedResponse(running, { ...spoken, chunks: 3, isCut: true });
  await deliverStream(response, running, delivery()).body?.cancel();
  await ended;
  expect(running.connection.closed).toBe(true);
  expect(decisions).toEqual([expect.objectContaining({ kind: 'release' })]);
});

test('audio of a client that reads too slowly for the longest request is paid, and its connection breaks', async () => {
  const { running, decisions, ended } = startRequest('speech');
  const response = await streamedResponse(running, { ...large, ...spoken });
  const isBehind = Promise.withResolvers<void>();
  const watch = setInterval(() => {
    if (running.lastBytesAtMs === undefined) isBehind.resolve();
  }, 5);
  stops.push(() => clearInterval(watch));
  const broken = serveToPaused(() => deliverStream(response, running, delivery()));
  await isBehind.promise;
  running.timeouts = { idleMs: 120_000, totalMs: 20_000 };
  await running.check(monotonicMs() + 20_001);
  await Promise.all([ended, broken]);
  expect(running.abort.reason).toBe('too_long');
  expect(decisions).toEqual([expect.objectContaining({ kind: 'settle', costNano: 60n })]);
});
