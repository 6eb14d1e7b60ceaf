/** The short form of `bun run rehearse:restore`. */
import { expect, test } from 'bun:test';
import { parseUsd } from '../../shared/money.ts';
import { inCampaign } from '../harness/campaigns.ts';
import { paidUsd } from './changes.ts';
import { rehearseRestore } from './rehearse-restore.ts';
import { costNano } from './steady-load.ts';

const short = { beforeMs: 500, afterMs: 1_000, pauseMs: inCampaign(60, 20) };

test('Postgres restored to an earlier moment charges nothing twice and loses only receipts', async () => {
  const report = await rehearseRestore({ ...short, loss: 'postgres-restored', adminFirst: true });
  expect(report.failed).toBe(0);
  expect(report.receiptsLost).toBeGreaterThan(0);
  expect(report.drift.d1).toBe(BigInt(report.receiptsLost) * costNano);
  expect(report.violations).toContainEqual(expect.stringContaining('has 2 credits, but the ledger has 1'));
  expect(report.violations.filter((found) => found.includes('never reached the ledger'))).not.toEqual([]);
  expect(report.chargedNano).toBe(report.owedNano);
  expect(report.wrong).toEqual([]);
  expect(report.changes).toEqual({
    paidNano: parseUsd(paidUsd),
    deletedKey: 401,
    createdKey: 401,
    newcomersKey: 401,
    idsAreNew: true,
  });
});

test.if(inCampaign(false, true))(
  'proxies resend what they hold if Redis is lost as well, and customers pay nothing twice (campaign)',
  async () => {
    const report = await rehearseRestore({ ...short, loss: 'both' });
    expect(report.chargedNano).toBe(report.owedNano);
    expect(report.receiptsLost).toBe(0);
    expect(report.changes?.paidNano).toBe(parseUsd(paidUsd));
  },
);
