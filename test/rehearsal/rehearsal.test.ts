/** The short form of `bun run rehearse`. */
import { expect, test } from 'bun:test';
import { haproxyPath } from '../harness/load-balancer.ts';
import { rehearse } from './rehearse.ts';
import { findBroken, resultsOf } from './report.ts';

test.skipIf(haproxyPath === null)(
  'replacing every program under load fails no request, cuts no stream and loses no cent',
  async () => {
    const rehearsal = await rehearse({
      ...{ seed: 20_261_122, requestsPerSecond: 50, openStreams: 10, rounds: 1, calmMs: 500 },
      // On a busy machine, streams take longer.
      graceSeconds: 300,
    });
    expect(findBroken(rehearsal)).toEqual([]);
    const results = resultsOf(rehearsal);
    expect(results.every(({ requests, looks }) => requests > 0 && looks > 0)).toBe(true);
    for (const { step, chargedNano, deliveredNano } of results) {
      if (step.isSmooth) expect(chargedNano).toBe(deliveredNano);
    }
  },
);
