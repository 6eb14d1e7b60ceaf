/** How a batch of charges is booked, on a real Postgres. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { applyCharges } from '../../../../admin/ledger/charges/apply-charges.ts';
import type { Charge } from '../../../../admin/ledger/charges/read-usage-entry.ts';
import { isLater, units } from '../../../../shared/usage/billable-units.ts';
import { detailOf } from '../../../harness/wallet/charge-detail.ts';
import { bookings, chargeOf, openLedger, readBooks, type TestLedger } from '../ledger.ts';

/** The columns of its event that say what the charge is. Null stands for what is usual, but not where 0.1.0 may read it. */
function storedAs(
  { requestId, accountId, keyId, detail, ...charge }: Charge,
  { compact }: { readonly compact: boolean },
): Record<string, unknown> {
  const unlessUsual = <Value>(usual: Value, value: Value) => (compact && value === usual ? null : value);
  const isWhole = (unit: (typeof units)[number]) => unit.unit === 'token' && unit.partOf === undefined;
  return {
    ...{ request_id: requestId, account_id: String(accountId), key_id: String(keyId), rank: charge.rank },
    ...{
      cost_nano: String(charge.costNano),
      uncharged_nano: unlessUsual('0', String(charge.unchargedNano)),
      epoch: String(charge.epoch),
    },
    ...{ model: detail.model, deployment: detail.deployment, price_version: String(detail.priceVersion) },
    ...Object.fromEntries(
      units.map((unit) => {
        const count = detail[unit.name];
        return [unit.column, isWhole(unit) ? count : isLater(unit) && count === 0 ? null : unlessUsual(0, count)];
      }),
    ),
    ...{ variant: unlessUsual('', detail.variant), estimated: unlessUsual(false, detail.estimated) },
    repeats: detail.repeats || null,
    assignment_id: charge.assignmentId === null ? null : String(charge.assignmentId),
    wallet_seq: charge.walletSeq === null ? null : String(charge.walletSeq),
    ...{ started_at: new Date(detail.startedAtMs), charged_at: charge.chargedAt },
  };
}

describe.each(bookings)('booked %s', (_way, options) => {
  let ledger: TestLedger;

  beforeAll(async () => {
    ledger = await openLedger(options);
  });

  afterEach(async () => {
    expect((await readBooks(ledger)).violations).toEqual([]);
  });

  afterAll(() => ledger.close());

  const apply = (...charges: Charge[]) => applyCharges(ledger.sql, charges);
  const balanceOf = async (accountId: number) => (await readBooks(ledger)).balances.get(accountId);
  const linesOf = (requestId: string) =>
    ledger.sql<{ amount_nano: string; description: string; model: string; created_at: Date }[]>`
    SELECT amount_nano, description, model, created_at FROM journal_lines WHERE request_id = ${requestId} ORDER BY id`;

  test('each charge is stored as it is, whatever is unusual about others of its batch', async () => {
    const accountId = await ledger.openAccount();
    const seldom = <Value>(usual: Value, arbitrary: fc.Arbitrary<Value>) =>
      fc.oneof({ weight: 4, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary });
    const unusual = fc.record({
      counts: fc.record(Object.fromEntries(units.map(({ name }) => [name, seldom(0, fc.nat(9))]))),
      rank: seldom(2, fc.constant(1)),
      unchargedNano: seldom(0n, fc.bigInt({ min: 1n, max: 10n ** 16n })),
      estimated: seldom(false, fc.constant(true)),
      variant: seldom('', fc.constantFrom('flex', `a'"\\{,}`)),
      assignmentId: seldom(null, fc.nat(99)),
      repeats: seldom('', fc.uuid()),
      walletSeq: seldom(1, fc.constant(null)),
    });
    const property = fc.asyncProperty(fc.array(unusual, { minLength: 1, maxLength: 4 }), async (batch) => {
      const charges = batch.map(({ counts, rank, unchargedNano, assignmentId, walletSeq, ...said }) =>
        chargeOf(accountId, {
          ...{ rank: rank === 1 ? 1 : 2, unchargedNano, assignmentId, walletSeq },
          detail: detailOf({ deployment: 'test/chat', ...counts, ...said }),
        }),
      );
      expect((await apply(...charges)).applied).toBe(charges.length);
      const rows = await ledger.sql`
        SELECT * FROM usage_events WHERE request_id = ANY(${charges.map(({ requestId }) => requestId)}::uuid[])`;
      expect(new Map(rows.map((row) => [row.request_id, row]))).toEqual(
        new Map(charges.map((charge) => [charge.requestId, expect.objectContaining(storedAs(charge, options))])),
      );
    });
    await fc.assert(property, { numRuns: 60, endOnFailure: true });
  });

  test('a new charge is booked: a line, its counterpart, the balance, and the event with every detail', async () => {
    const accountId = await ledger.openAccount();
    const charge = chargeOf(accountId, {
      walletSeq: 7,
      walletSpentNano: 900n,
      unchargedNano: 11n,
      epoch: 4,
      keyId: 12,
      assignmentId: 17,
    });
    expect(await apply(charge)).toEqual({ applied: 1, duplicates: 0, unknown: [] });
    expect(await balanceOf(accountId)).toBe(-100n);
    expect([...(await linesOf(charge.requestId))]).toEqual([
      {
        amount_nano: '-100',
        description: 'test/chat: 3 prompt + 5 completion tokens',
        model: 'test/chat',
        created_at: charge.chargedAt,
      },
    ]);
    const [journal] = await ledger.sql`
    SELECT journals.type, array_agg(book || ' ' || amount_nano ORDER BY book) AS lines
    FROM journals JOIN journal_lines ON journal_id = journals.id GROUP BY journals.id ORDER BY journals.id DESC LIMIT 1`;
    expect(journal).toEqual({ type: 'usage', lines: ['revenue 100', 'wallet -100'] });
    const [event] = await ledger.sql`SELECT * FROM usage_events WHERE request_id = ${charge.requestId}`;
    expect(event).toEqual({
      request_id: charge.requestId,
      rank: 2,
      account_id: String(accountId),
      cost_nano: '100',
      uncharged_nano: '11',
      key_id: '12',
      model: 'test/chat',
      deployment: 'test/chat',
      price_version: '1',
      prompt_tokens: 3,
      cached_prompt_tokens: 1,
      cache_write_tokens: options.compact ? null : 0,
      cache_write_1h_tokens: null,
      audio_prompt_tokens: null,
      image_prompt_tokens: null,
      completion_tokens: 5,
      reasoning_tokens: 2,
      audio_completion_tokens: null,
      images: options.compact ? null : 0,
      characters: null,
      audio_seconds: null,
      searches: null,
      web_searches: null,
      priced_requests: null,
      variant: options.compact ? null : '',
      estimated: options.compact ? null : false,
      epoch: '4',
      wallet_seq: '7',
      wallet_spent_nano: '900',
      started_at: new Date(charge.detail.startedAtMs),
      charged_at: charge.chargedAt,
      booked_nano: options.compact ? '100' : null,
      journal_id: options.compact ? expect.stringMatching(/^\d+$/) : null,
      line_id: options.compact ? expect.stringMatching(/^\d+$/) : null,
      assignment_id: '17',
      dimension_values: null,
      repeats: null,
    });
  });

  test('a duplicate changes nothing, in the same batch or a later one', async () => {
    const accountId = await ledger.openAccount();
    const charge = chargeOf(accountId);
    expect(await apply(charge, charge)).toEqual({ applied: 1, duplicates: 1, unknown: [] });
    const before = await readBooks(ledger);
    expect(await apply(charge)).toEqual({ applied: 0, duplicates: 1, unknown: [] });
    expect(await readBooks(ledger)).toEqual(before);
  });

  test('a batch of old and new charges books only the new ones', async () => {
    const accountId = await ledger.openAccount();
    const [old, fresh] = [chargeOf(accountId), chargeOf(accountId, { costNano: 30n })];
    await apply(old);
    expect(await apply(fresh, old)).toEqual({ applied: 1, duplicates: 1, unknown: [] });
    expect(await balanceOf(accountId)).toBe(-130n);
  });

  for (const together of [true, false]) {
    const batches = together ? 'in one batch' : 'in two batches';

    test(`the difference is booked for an estimate and then the final cost, ${batches}`, async () => {
      const accountId = await ledger.openAccount();
      const final = chargeOf(accountId, { costNano: 70n });
      const estimate: Charge = { ...final, rank: 1, costNano: 100n };
      if (together) await apply(estimate, final);
      else for (const charge of [estimate, final]) await apply(charge);
      expect((await linesOf(final.requestId)).map((line) => line.amount_nano)).toEqual(['-100', '30']);
      expect((await linesOf(final.requestId))[0]?.description).toEndWith('(estimated, may be corrected)');
      expect(await balanceOf(accountId)).toBe(-70n);
    });

    test(`a late estimate after the final cost, ${batches}, is ignored`, async () => {
      const accountId = await ledger.openAccount();
      const final = chargeOf(accountId, { costNano: 70n });
      const estimate: Charge = { ...final, rank: 1, costNano: 100n };
      if (together) await apply(final, estimate);
      else for (const charge of [final, estimate]) await apply(charge);
      expect((await linesOf(final.requestId)).map((line) => line.amount_nano)).toEqual(['-70']);
      expect(await balanceOf(accountId)).toBe(-70n);
    });
  }

  test('a final cost equal to its estimate is recorded as an event and books no line', async () => {
    const accountId = await ledger.openAccount();
    const final = chargeOf(accountId);
    await apply({ ...final, rank: 1 });
    expect((await apply(final)).applied).toBe(1);
    expect(await linesOf(final.requestId)).toHaveLength(1);
    expect((await readBooks(ledger)).requests.get(final.requestId)).toBe('2:100');
  });

  test('a request without cost is recorded, and books no line', async () => {
    const accountId = await ledger.openAccount();
    const charge = chargeOf(accountId, { costNano: 0n });
    expect(await apply(charge)).toEqual({ applied: 1, duplicates: 0, unknown: [] });
    expect(await linesOf(charge.requestId)).toHaveLength(0);
    expect((await readBooks(ledger)).requests.get(charge.requestId)).toBe('2:0');
    expect(await apply(charge)).toEqual({ applied: 0, duplicates: 1, unknown: [] });
  });

  test('a charge of an unknown account is returned, and the others are booked', async () => {
    const accountId = await ledger.openAccount();
    const [known, stranger] = [chargeOf(accountId), chargeOf(999_999)];
    expect(await apply(stranger, known)).toEqual({ applied: 1, duplicates: 0, unknown: [stranger] });
    expect(await apply(stranger)).toEqual({ applied: 0, duplicates: 0, unknown: [stranger] });
    expect(await balanceOf(accountId)).toBe(-100n);
  });

  test('a request that was charged to one account is never charged to another, known or not', async () => {
    const [first, second] = [await ledger.openAccount(), await ledger.openAccount()];
    const estimate = chargeOf(first, { rank: 1 });
    await apply(estimate);
    const strangers = [second, 999_999].map(
      (accountId): Charge => ({ ...estimate, rank: 2, costNano: 900n, accountId }),
    );
    for (const stranger of strangers) {
      expect(await apply(stranger)).toEqual({ applied: 0, duplicates: 0, unknown: [stranger] });
    }
    expect(await balanceOf(first)).toBe(-100n);
    expect(await balanceOf(second)).toBe(0n);
  });

  test('an empty batch changes nothing', async () => {
    expect(await apply()).toEqual({ applied: 0, duplicates: 0, unknown: [] });
  });

  test('amounts beyond what a double holds are booked exactly', async () => {
    const accountId = await ledger.openAccount();
    await apply(...Array.from({ length: 3 }, () => chargeOf(accountId, { costNano: 9_007_199_254_740_993n })));
    expect(await balanceOf(accountId)).toBe(-27_021_597_764_222_979n);
  });
});
