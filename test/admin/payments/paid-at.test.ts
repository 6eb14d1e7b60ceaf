/** Today is a day on which money can have come, at any hour of it; tomorrow is not. */
import { expect, test } from 'bun:test';
import { moscowDay } from '../../../admin/catalogue/exchange-rate/rate-schedule.ts';
import { parsePaidAt } from '../../../admin/payments/paid-at.ts';
import { SeededRandom } from '../../harness/seeded-random.ts';

const seed = Number(process.env.SEED ?? 20_261_130);
const dayMs = 86_400_000;

test('a day counts from its beginning in Moscow, and a moment from itself', () => {
  const random = new SeededRandom(seed);
  for (let time = 0; time < 2_000; time += 1) {
    const now = new Date(Date.UTC(2026, 0, 1) + random.integer(0, 400 * dayMs));
    const parse = (text: string) => parsePaidAt(text, { param: 'paidAt', now });
    const [today, tomorrow] = [moscowDay(now), moscowDay(new Date(now.getTime() + dayMs))];
    const yesterday = moscowDay(new Date(now.getTime() - dayMs));
    for (const day of [today, yesterday]) {
      const paidAt = parse(day);
      expect([moscowDay(paidAt), paidAt <= now]).toEqual([day, true]);
    }
    expect(() => parse(tomorrow)).toThrow('it is in the future');
    expect(parse(now.toISOString())).toEqual(now);
    expect(() => parse(new Date(now.getTime() + 1).toISOString())).toThrow('it is in the future');
  }
});
