/** Lines wait with growing pauses, and only so many of a model. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { PostponedLines } from '../../../proxy/batches/postponed-lines.ts';
import { mayPass } from '../../../proxy/batches/run-line.ts';
import { type ErrorCode, GatewayError } from '../../../shared/errors.ts';

const lineOf = (number: number, { model = 'one', body = '{}' } = {}) => ({
  line: { number, customId: String(number), model, body },
  failures: ['upstream_error'] as const,
});

test('pauses grow from a second or two to five or ten minutes, unless the provider asks for more', () => {
  const property = fc.property(
    fc.integer({ min: 1, max: 40 }),
    fc.nat({ max: 1_000_000 }),
    (attempts, retryAfterMs) => {
      let nowMs = 0;
      const postponed = new PostponedLines(() => nowMs);
      const failures = Array.from({ length: attempts }, () => 'overloaded' as const);
      postponed.add({ ...lineOf(1), failures }, retryAfterMs);
      const wholeMs = Math.min(600_000, 2_000 * 2 ** (attempts - 1));
      nowMs = Math.max(retryAfterMs, wholeMs / 2) - 1;
      expect(postponed.takeDue()).toBeUndefined();
      nowMs = Math.max(retryAfterMs, wholeMs);
      expect(postponed.takeDue()?.line.number).toBe(1);
      expect(postponed.size).toBe(0);
    },
  );
  fc.assert(property);
});

test('a model has no room from its 64th line on until only 32 are left, and others have', () => {
  let nowMs = 0;
  const postponed = new PostponedLines(() => nowMs);
  for (let number = 1; number <= 64; number += 1) {
    expect(postponed.hasRoomFor('one')).toBe(true);
    postponed.add(lineOf(number), 0);
  }
  nowMs = 600_000;
  for (let left = 64; left > 32; left -= 1) {
    expect([postponed.size, postponed.hasRoomFor('one'), postponed.hasRoomFor('two')]).toEqual([left, false, true]);
    postponed.takeDue();
  }
  expect(postponed.hasRoomFor('one')).toBe(true);
});

test('there is no room for any model beside 512 lines, or 32 MiB of them', () => {
  const many = new PostponedLines();
  for (let number = 1; number <= 512; number += 1) {
    expect(many.isFull).toBe(false);
    many.add(lineOf(number, { model: String(number) }), 0);
  }
  expect(many.isFull).toBe(true);
  const large = new PostponedLines();
  const body = 'x'.repeat(16 * 1024 * 1024);
  for (const number of [1, 2]) {
    expect(large.isFull).toBe(false);
    large.add(lineOf(number, { body }), 0);
  }
  expect(large.isFull).toBe(true);
  large.keepOnly(({ number }) => number === 2);
  expect([large.isFull, large.size]).toEqual([false, 1]);
});

test('a line is tried twelve times with an error of its provider, thrice without a response, else all day', () => {
  const passing: Partial<Record<ErrorCode, number>> = { upstream_error: 12, upstream_timeout: 3 };
  const codes: ErrorCode[] = ['upstream_error', 'upstream_timeout', 'no_healthy_deployment', 'wallet_unavailable'];
  const property = fc.property(fc.array(fc.constantFrom(...codes), { maxLength: 200 }), (ended) => {
    for (const code of codes) {
      const attempts = ended.filter((each) => each === code).length + 1;
      expect(mayPass(new GatewayError(code, ''), ended)).toBe(attempts < (passing[code] ?? Number.POSITIVE_INFINITY));
    }
    expect(mayPass(new GatewayError('invalid_parameter', ''), ended)).toBe(false);
    for (const isReserved of [true, false]) {
      expect(mayPass(new GatewayError('budget_exceeded', '', { isReserved }), ended)).toBe(isReserved);
    }
  });
  fc.assert(property);
});
