/** Every status with which the gateway refuses a request, and how a client reports it. */
import { expect } from 'bun:test';
import { type ErrorCode, errorRegistry } from '../../../../shared/errors.ts';
import { guardTimeoutMs, waitFor } from '../../../harness/account-view.ts';
import { messageResponse } from '../../../harness/providers/completions.ts';
import { failWith, rawResponse } from '../../../harness/providers/scripted-provider.ts';
import { at, type Driver } from './driver.ts';
import { caught, heldStream } from './moments.ts';
import { bodyMaxBytes, type Stage, type Visit } from './stage.ts';

/** The error that the client threw, and the statuses that it received before. */
interface Provoked {
  readonly error: unknown;
  readonly statuses: readonly number[];
}

export interface Refusal {
  readonly code: ErrorCode;
  readonly when: string;
  /** The client may retry once. */
  provoke(stage: Stage, driver: Driver): Promise<Provoked>;
}

export interface Refused {
  /** The class names of the client's error, outermost first. */
  readonly classes: readonly string[];
  readonly triedAgain: boolean;
}

const question = { model: 'test/chat', prompt: 'Hello?' };
const retries = 1;

export const refusals: readonly Refusal[] = [
  {
    code: 'invalid_parameter',
    when: 'a temperature of 3',
    provoke: async (stage, driver) => {
      const visit = await stage.enter({ retries });
      return provoked(visit, driver.whole(visit.session, { ...question, temperature: 3 }));
    },
  },
  {
    code: 'invalid_api_key',
    when: 'an invalid key',
    provoke: async (stage, driver) => {
      const visit = await stage.enter({ retries, key: 'ms-nonsense' });
      return provoked(visit, driver.whole(visit.session, question));
    },
  },
  {
    code: 'insufficient_balance',
    when: 'a balance of $0',
    provoke: async (stage, driver) => {
      const visit = await stage.enter({ retries, usd: '0' });
      return provoked(visit, driver.whole(visit.session, question));
    },
  },
  {
    code: 'model_not_found',
    when: 'an unknown model',
    provoke: async (stage, driver) => {
      const visit = await stage.enter({ retries });
      return provoked(visit, driver.whole(visit.session, { ...question, model: 'test/none' }));
    },
  },
  {
    code: 'idempotency_in_progress',
    when: 'an `Idempotency-Key` whose first request is still running',
    provoke: async (stage, driver) => {
      const visit = await stage.enter({ retries, headers: { 'Idempotency-Key': 'order-1' } });
      let letGo = () => {};
      const released = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      stage.provider.on('upstream-chat', async (truth, request) => {
        await released;
        return messageResponse({ content: 'Hi.' })(truth, request);
      });
      const requestsBefore = stage.provider.requests.length;
      const first = driver.whole(visit.session, question);
      await waitFor('the first request', guardTimeoutMs, async () => stage.provider.requests.length > requestsBefore);
      const second = await provoked(visit, driver.whole(visit.session, question));
      letGo();
      expect((await first).text).toBe('Hi.');
      return second;
    },
  },
  {
    code: 'body_too_large',
    when: 'a prompt over `MAX_BODY_BYTES`',
    provoke: async (stage, driver) => {
      const visit = await stage.enter({ retries });
      return provoked(visit, driver.whole(visit.session, { ...question, prompt: 'x'.repeat(2 * bodyMaxBytes) }));
    },
  },
  {
    code: 'idempotency_key_reused',
    when: 'an `Idempotency-Key` used for another request',
    provoke: async (stage, driver) => {
      const { session, statuses } = await stage.enter({ retries, headers: { 'Idempotency-Key': 'order-2' } });
      stage.provider.on('upstream-chat', messageResponse({ content: 'Hi.' }));
      await driver.whole(session, question);
      const error = await caught(driver.whole(session, { ...question, prompt: 'Another?' }));
      return { error, statuses: statuses.slice(1) };
    },
  },
  {
    code: 'rate_limit_exceeded',
    when: 'more concurrent requests than the key allows',
    provoke: async (stage, driver) => {
      const held = await heldStream(stage);
      const visit = await stage.enter({ retries, key: held.key });
      const result = await provoked(visit, driver.stream(visit.session, question));
      await held.release();
      return result;
    },
  },
  {
    code: 'upstream_error',
    when: 'a provider with a malformed response',
    provoke: async (stage, driver) => {
      const visit = await stage.enter({ retries });
      stage.provider.on('upstream-chat', rawResponse('<html>busy</html>', 'text/html'));
      return provoked(visit, driver.whole(visit.session, question));
    },
  },
  {
    code: 'no_healthy_deployment',
    when: 'an overloaded provider',
    provoke: async (stage, driver) => {
      const visit = await stage.enter({ retries });
      stage.provider.on('upstream-overloaded', failWith(429, 'too many', { 'retry-after-ms': '10' }));
      return provoked(visit, driver.whole(visit.session, { ...question, model: 'test/overloaded' }));
    },
  },
];

/** Throws if the client does not expose the status, code and request id. */
export async function playRefusal(stage: Stage, driver: Driver, { code, provoke }: Refusal): Promise<Refused> {
  const { status } = errorRegistry[code];
  const { error, statuses } = await provoke(stage, driver);
  const inner = driver.unwrap?.(error) ?? error;
  const { places } = driver;
  expect({ status: at(inner, places.status), code: at(inner, places.code) }).toEqual({ status, code });
  expect(at(inner, places.requestId)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  expect(new Set(statuses)).toEqual(new Set([status]));
  expect(statuses.length).toBeLessThanOrEqual(1 + retries);
  const classes = inner === error ? [nameOf(error)] : [nameOf(error), nameOf(inner)];
  return { classes, triedAgain: statuses.length > 1 };
}

async function provoked(visit: Visit, asking: Promise<unknown>): Promise<Provoked> {
  const error = await caught(asking);
  return { error, statuses: [...visit.statuses] };
}

/** What developers compare: the name if the class sets one, otherwise the class. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  return error.name === 'Error' ? error.constructor.name : error.name;
}
