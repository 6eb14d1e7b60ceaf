/** What each kind of failure does to a deployment, and what operators see of it. */
import { expect, test } from 'bun:test';
import type { LimitCause } from '../../../../../proxy/nouns/upstream-failure.ts';
import {
  type FailureOptions,
  type FailureReason,
  UpstreamFailure,
} from '../../../../../proxy/nouns/upstream-failure.ts';
import { Deployments } from '../../../../../proxy/request/upstream/health/deployments.ts';

const failure = (reason: FailureReason, options: FailureOptions = {}) =>
  new UpstreamFailure(reason, 'what the provider said', options);

/** The state after requests of these accounts have failed this way, one after the other. */
function after(times: number, failed: UpstreamFailure, accountOf = (_time: number) => 1): Deployments {
  const deployments = new Deployments();
  for (let time = 0; time < times; time += 1) {
    const pass = deployments.admit('one', 0);
    if (pass === undefined) break;
    deployments.failed('one', pass, { nowMs: 0, failure: failed, accountId: accountOf(time) });
  }
  return deployments;
}

test('connect errors, timeouts, truncated responses, 408 and 5xx open the circuit', () => {
  const broken = [failure('unreachable'), failure('timeout'), failure('cut')];
  const statuses = [408, 500, 502, 503, 504, 529].map((status) => failure('refused', { status }));
  for (const failed of [...broken, ...statuses]) {
    expect([failed.reason, failed.status, after(8, failed).admit('one', 0)]).toEqual([
      failed.reason,
      failed.status,
      undefined,
    ]);
  }
});

test('4xx, unreadable responses and errors in a 200, which a request can provoke, do not open the circuit', () => {
  const provoked = [failure('malformed'), failure('refused'), failure('refused', { status: 409 })];
  const rejected = [400, 404, 413, 422].map((status) => failure('rejected', { status }));
  for (const failed of [...provoked, ...rejected]) expect(after(100, failed).admit('one', 0)).toBeNumber();
});

test('a provider that does not accept our key rests for a minute', () => {
  for (const status of [401, 402, 403]) {
    const deployments = after(8, failure('refused', { status }));
    expect(deployments.readyAtMs('one')).toBe(60_000);
  }
});

test('operators see what they have to fix, never the provider’s message', () => {
  const problem = 'OPENAI_API_KEY is not set';
  const unusable = new UpstreamFailure('refused', 'what the provider said', { status: 401, problem });
  expect(after(1, unusable).snapshot(0)).toMatchObject([{ lastFailure: { reason: problem } }]);
  expect(after(1, failure('refused', { status: 401 })).snapshot(0)).toMatchObject([
    { lastFailure: { reason: 'refused (401)' } },
  ]);
});

const limited = (limit: LimitCause) => failure('refused', { status: 429, retryAfterMs: 7_000, limit });
const isReady = (deployments: Deployments) => deployments.admit('one', 0) !== undefined;

test('429s of one or two accounts never take a deployment away from other accounts', () => {
  expect(isReady(after(1_000, limited('rate')))).toBe(true);
  expect(isReady(after(1_000, limited('rate'), (time) => time % 2))).toBe(true);
  expect(isReady(after(1_000, failure('refused', { status: 429 })))).toBe(true);
});

test('429s of three accounts within ten seconds make the deployment rest for its Retry-After', () => {
  expect(after(3, limited('rate'), (time) => time).readyAtMs('one')).toBe(7_000);
  const deployments = new Deployments();
  const meet = (accountId: number, nowMs: number) => {
    const pass = deployments.admit('one', nowMs) ?? 0;
    deployments.failed('one', pass, { nowMs, failure: limited('rate'), accountId });
  };
  for (const nowMs of [0, 6_000, 12_000, 18_000, 24_000]) meet(nowMs, nowMs);
  expect(deployments.readyAtMs('one')).toBe(0);
  meet(30_000, 25_000);
  expect(deployments.readyAtMs('one')).toBe(32_000);
});

test('a 429 about the size of a request never makes a deployment rest', () => {
  expect(isReady(after(1_000, limited('request'), (time) => time))).toBe(true);
});

test('a 429 of an exhausted quota makes the deployment rest immediately, and is shown', () => {
  const deployments = after(1, limited('quota'));
  expect(deployments.snapshot(0)).toEqual([
    {
      deployment: 'one',
      state: 'resting',
      requests: 1,
      failures: 1,
      meanLatencyMs: null,
      lastFailure: { reason: 'refused (429)', atMs: 0 },
      readyAtMs: 7_000,
    },
  ]);
  expect(deployments.snapshot(7_000)).toMatchObject([{ state: 'closed', readyAtMs: null }]);
});

test('the mean latency follows recent requests', () => {
  const deployments = new Deployments();
  const succeed = (latencyMs: number) =>
    deployments.succeeded('one', deployments.admit('one', 0) ?? 0, { nowMs: 0, latencyMs, isStream: false });
  succeed(100);
  expect(deployments.snapshot(0)).toMatchObject([{ meanLatencyMs: 100 }]);
  for (let time = 0; time < 100; time += 1) succeed(500);
  expect(deployments.snapshot(0)).toMatchObject([{ meanLatencyMs: 500, requests: 101 }]);
});

test('the mean time to the first token is that of streams alone, and unknown without one', () => {
  const deployments = new Deployments();
  const succeed = (latencyMs: number, isStream: boolean) =>
    deployments.succeeded('one', deployments.admit('one', 0) ?? 0, { nowMs: 0, latencyMs, isStream });
  expect(deployments.firstTokenMsOf('one')).toBeUndefined();
  succeed(9_000, false);
  expect(deployments.firstTokenMsOf('one')).toBeUndefined();
  succeed(200, true);
  succeed(9_000, false);
  expect(deployments.firstTokenMsOf('one')).toBe(200);
  succeed(300, true);
  expect(deployments.firstTokenMsOf('one')).toBeCloseTo(210);
});

test('deployments that are no longer in the catalogue are forgotten', () => {
  const deployments = new Deployments();
  for (const name of ['one', 'two', 'three']) deployments.admit(name, 0);
  deployments.keepOnly(new Set(['two', 'four']));
  expect(deployments.snapshot(0).map(({ deployment }) => deployment)).toEqual(['two']);
});
