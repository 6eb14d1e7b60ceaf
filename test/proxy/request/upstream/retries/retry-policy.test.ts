/** What happens when every deployment has failed: another round, or which error. */
import { describe, expect, test } from 'bun:test';
import { type FailureReason, UpstreamFailure } from '../../../../../proxy/nouns/upstream-failure.ts';
import type { Deployment } from '../../../../../proxy/pricing/catalogue.ts';
import { errorAfter, mayPass, pauseBeforeRound } from '../../../../../proxy/request/upstream/retries/retry-policy.ts';
import { GatewayError } from '../../../../../shared/errors.ts';

const deployment: Deployment = {
  name: 'provider/model',
  provider: { id: 'provider', protocol: 'openai', baseUrl: 'http://127.0.0.1:1/v1', apiKeyEnv: '', quirks: {} },
  model: 'model',
  priority: 1,
  weight: 1,
  onDisconnect: 'abort',
};
const tried = (reason: FailureReason, options: { status?: number; retryAfterMs?: number } = {}) => ({
  deployment,
  failure: new UpstreamFailure(reason, 'said by the provider', options),
});
const refused = (status: number, retryAfterMs?: number) =>
  tried('refused', { status, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });

describe('another round', () => {
  test('follows only transient failures', () => {
    const passing = [408, 429, 500, 502, 503, 504, 529].map((status) => refused(status));
    for (const { failure } of [...passing, tried('unreachable')]) expect(mayPass(failure)).toBe(true);
    const lasting = [302, 401, 402, 403, 405, 409, 501].map((status) => refused(status));
    const others = [tried('timeout'), tried('malformed'), tried('cut'), tried('rejected', { status: 400 })];
    for (const { failure } of [...lasting, ...others]) expect(mayPass(failure)).toBe(false);
  });

  const pause = (random: number, readyInMs = -1) => pauseBeforeRound([refused(500)], { readyInMs, random });

  test('starts after 200 to 600 ms', () => {
    expect(pause(0)).toBe(200);
    expect(pause(1)).toBe(600);
  });

  test('waits for a deployment that is ready within two seconds, and not longer', () => {
    expect(pause(0, 1_500)).toBe(1_700);
    expect(pause(0, 2_001)).toBeUndefined();
  });

  test('does not follow if no deployment was tried, or after a timeout, whose request may still run', () => {
    expect(pauseBeforeRound([], { readyInMs: 0, random: 0 })).toBeUndefined();
    expect(pauseBeforeRound([refused(500), tried('timeout')], { readyInMs: 0, random: 0 })).toBeUndefined();
  });
});

describe('the error after all deployments have failed', () => {
  const facts = (failures: ReturnType<typeof tried>[], readyInMs = 0) => {
    const { status, code, retryAfterSeconds } = errorAfter(failures, { model: 'm', deployments: [], readyInMs });
    return { status, code, retryAfterSeconds };
  };

  test('is a 503 with the time of the next ready deployment if none is healthy', () => {
    expect(facts([], 3_200)).toEqual({ status: 503, code: 'no_healthy_deployment', retryAfterSeconds: 4 });
    expect(facts([], -1)).toMatchObject({ retryAfterSeconds: 1 });
  });

  test("is a 503 if all are overloaded, because a provider's 429 is never the customer's", () => {
    const overloaded = [refused(429), refused(529), refused(503, 1_000)];
    expect(facts(overloaded, 5_000)).toEqual({ status: 503, code: 'no_healthy_deployment', retryAfterSeconds: 5 });
  });

  test('is the 502 of the last deployment otherwise', () => {
    expect(facts([refused(429), refused(500)])).toMatchObject({ status: 502, code: 'upstream_error' });
    expect(facts([refused(503)])).toMatchObject({ status: 502, code: 'upstream_error' });
    expect(facts([tried('timeout')])).toMatchObject({ status: 502, code: 'upstream_timeout' });
    expect(errorAfter([tried('unreachable')], { model: 'm', deployments: [], readyInMs: 0 })).toBeInstanceOf(
      GatewayError,
    );
  });
});
