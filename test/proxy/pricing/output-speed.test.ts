/** How fast a deployment generates, which no customer decides for others. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { initialSpeed, OutputSpeeds } from '../../../proxy/pricing/output-speed.ts';

const deployment = 'provider/model';
const nowMs = 1_000_000;

/** A response of some seconds. */
const request = ({ accountId = 1, seconds = 10, choices = 1 }) => ({
  ...{ deployment, accountId, choices, sentAtMs: nowMs - seconds * 1_000 },
});
const newSpeeds = () => new OutputSpeeds(() => nowMs);
const speedOf = (speeds: OutputSpeeds) => speeds.estimateOutput(request({ seconds: 1_000 })) / 1_000;

describe('the speed of a deployment', () => {
  test('is a guess until responses have finished, and then what most accounts have seen', () => {
    const speeds = newSpeeds();
    expect(speedOf(speeds)).toBe(initialSpeed);
    expect(speeds.measuredSpeedOf(deployment)).toBeUndefined();
    for (const accountId of [1, 2, 3]) speeds.learn(request({ accountId }), 1_000);
    expect(speedOf(speeds)).toBe(100);
    expect(speeds.measuredSpeedOf(deployment)).toBe(100);
    expect(speeds.estimateOutput({ ...request({}), deployment: 'provider/other' })).toBe(10 * initialSpeed);
  });

  test('is that of one choice, because several are generated concurrently', () => {
    const speeds = newSpeeds();
    for (const accountId of [1, 2, 3]) speeds.learn(request({ accountId, choices: 4 }), 4_000);
    expect(speeds.estimateOutput(request({ seconds: 2, choices: 3 }))).toBe(600);
  });

  test('is not learned from short responses', () => {
    const speeds = newSpeeds();
    for (const accountId of [1, 2, 3]) speeds.learn(request({ accountId, seconds: 30 }), 31);
    expect(speedOf(speeds)).toBe(initialSpeed);
  });

  test('stays within what others have seen, whatever one account does', () => {
    const honest = fc.array(fc.integer({ min: 32, max: 2_000 }), { minLength: 2, maxLength: 60 });
    const responses = fc.array(fc.record({ tokens: fc.nat(100_000), seconds: fc.integer({ min: 0, max: 1_800 }) }), {
      maxLength: 50,
    });
    const play = (tokensOf: readonly number[], attacks: readonly { tokens: number; seconds: number }[]) => {
      const speeds = newSpeeds();
      tokensOf.forEach((tokens, index) => {
        speeds.learn(request({ accountId: index + 2 }), tokens);
      });
      for (const { tokens, seconds } of attacks) speeds.learn(request({ accountId: 1, seconds }), tokens);
      const seen = [initialSpeed, ...tokensOf.map((tokens) => tokens / 10)];
      expect(speedOf(speeds)).toBeGreaterThanOrEqual(Math.min(...seen) - 0.001);
      expect(speedOf(speeds)).toBeLessThanOrEqual(Math.max(...seen));
    };
    fc.assert(fc.property(honest, responses, play), { numRuns: 500 });
  });
});
