/** Lots of any payments and any usage: no kopeck appears or is lost, and closed months stay unchanged. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { LotBook, openKopecksOf, returnedKopecksOf, usedKopecksOf } from '../../../admin/lots/lot-book.ts';
import { type ClosedMonth, countedMonth, monthAfter, monthOf } from '../../../admin/lots/months.ts';

type Step =
  | { readonly kind: 'pay'; readonly nano: bigint; readonly kopecks: bigint }
  | { readonly kind: 'use'; readonly share: number }
  /** A request turns out to have cost less. */
  | { readonly kind: 'correct'; readonly share: number }
  | { readonly kind: 'return'; readonly lot: number; readonly share: number }
  /** A dispute is won: part of what was refunded of a payment is paid again. */
  | { readonly kind: 'restore'; readonly lot: number; readonly share: number }
  | { readonly kind: 'next month' }
  | { readonly kind: 'close' };

const share = fc.integer({ min: 0, max: 1_000 });
const paying = fc.record({
  kind: fc.constant('pay' as const),
  nano: fc.bigInt({ min: 1n, max: 10n ** 13n }),
  kopecks: fc.bigInt({ min: 0n, max: 10n ** 9n }),
});
const returning = fc.record({ kind: fc.constantFrom('return' as const, 'restore' as const), lot: fc.nat(20), share });
const step: fc.Arbitrary<Step> = fc.oneof(
  paying,
  fc.record({ kind: fc.constant('use' as const), share }),
  fc.record({ kind: fc.constant('use' as const), share }),
  fc.record({ kind: fc.constant('correct' as const), share }),
  returning,
  returning,
  fc.record({ kind: fc.constant('next month' as const) }),
  fc.record({ kind: fc.constant('close' as const) }),
);

interface Played {
  readonly book: LotBook;
  readonly paidKopecks: bigint;
  /** What each month had when it was closed. */
  readonly acts: ReadonlyMap<string, bigint>;
  /** What the returns of each payment have taken from each lot, less what came back to it. */
  readonly takenFor: ReadonlyMap<string, readonly bigint[]>;
}

/** As the ledger and the worker would; usage may exceed the balance by one request. */
function play(steps: readonly Step[]): Played {
  const book = new LotBook();
  const closed: ClosedMonth[] = [];
  const acts = new Map<string, bigint>();
  const takenFor = new Map<string, readonly bigint[]>();
  const move = (paymentId: string, change: () => void) => {
    const before = book.lots.map(({ returnedNano }) => returnedNano);
    change();
    const taken = takenFor.get(paymentId) ?? [];
    const changes = book.lots.map(({ returnedNano }, index) => returnedNano - (before[index] ?? 0n));
    takenFor.set(
      paymentId,
      changes.map((nano, index) => (taken[index] ?? 0n) + nano),
    );
  };
  let [balance, spent, paidKopecks, lineId, month] = [0n, 0n, 0n, 0, '2026-01-01'];
  /** Sometimes none. */
  const paymentOf = (lot: number) => book.lots[lot % (book.lots.length + 1)]?.paymentId ?? null;
  const natural = () => countedMonth(month, lineId, closed);
  for (const step of steps) {
    lineId += 1;
    if (step.kind === 'pay') {
      const kopecks = step.kopecks < step.nano ? step.kopecks : step.nano;
      book.credit({ lineId, paymentId: `payment ${lineId}`, nano: step.nano, kopecks }, natural());
      balance += step.nano;
      paidKopecks += kopecks;
    } else if (step.kind === 'use') {
      const nano = (balance * BigInt(step.share)) / 900n;
      if (nano < 0n) continue;
      book.charge(nano, natural());
      balance -= nano;
      spent += nano;
    } else if (step.kind === 'correct') {
      const nano = (spent * BigInt(step.share)) / 1_000n;
      book.charge(-nano, natural());
      balance += nano;
      spent -= nano;
    } else if (step.kind === 'return') {
      const nano = balance > 0n ? (balance * BigInt(step.share)) / 1_000n : 0n;
      const paymentId = paymentOf(step.lot);
      move(paymentId ?? 'none', () => book.takeBack(nano, { paymentId, month: natural() }));
      balance -= nano;
    } else if (step.kind === 'restore') {
      const paymentId = paymentOf(step.lot);
      if (paymentId === null) continue;
      const nano = (sum(takenFor.get(paymentId) ?? []) * BigInt(step.share)) / 1_000n;
      move(paymentId, () => book.restore(nano, { paymentId, lineId, month: natural() }));
      balance += nano;
    } else if (step.kind === 'next month') month = monthAfter(month);
    else if (!acts.has(month)) {
      closed.push({ month, throughLineId: lineId });
      acts.set(month, kopecksOf(book, month));
    }
  }
  return { book, paidKopecks, acts, takenFor };
}

const kopecksOf = (book: LotBook, month: string) =>
  book.parts
    .filter((part) => part.kind === 'usage' && part.month === month)
    .reduce((sum, { kopecks }) => sum + kopecks, 0n);
const sum = (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n);

describe('for any payments, usage, corrections and refunds in any order,', () => {
  const property = (check: (played: Played) => void, one: fc.Arbitrary<Step> = step) =>
    fc.assert(
      fc.property(fc.array(one, { maxLength: 60 }), (steps) => check(play(steps))),
      { numRuns: 2_000 },
    );

  test('acts, refunds and open lots sum to the payments, to the kopeck', () =>
    property(({ book, paidKopecks }) => {
      const parts = sum(book.parts.map(({ kopecks }) => kopecks));
      const open = sum(book.lots.map(openKopecksOf));
      expect(parts + open).toBe(paidKopecks);
    }));

  test('no lot falls below zero, and the parts of a lot sum to what was used and returned of it', () =>
    property(({ book }) => {
      for (const lot of book.lots) {
        expect(lot.usedNano >= 0n && lot.returnedNano >= 0n).toBe(true);
        expect(lot.usedNano + lot.returnedNano <= lot.nano).toBe(true);
        expect(openKopecksOf(lot) >= 0n).toBe(true);
        const of = (kind: string) => book.parts.filter((part) => part.lotLineId === lot.lineId && part.kind === kind);
        expect(sum(of('usage').map(({ nano }) => nano))).toBe(lot.usedNano);
        expect(sum(of('usage').map(({ kopecks }) => kopecks))).toBe(usedKopecksOf(lot));
        expect(sum(of('return').map(({ kopecks }) => kopecks))).toBe(returnedKopecksOf(lot));
        if (lot.usedNano + lot.returnedNano === lot.nano) expect(openKopecksOf(lot)).toBe(0n as never);
      }
    }));

  test('what comes back of a payment reopens only what its own returns have taken of each lot', () =>
    property(
      ({ takenFor }) => {
        for (const taken of takenFor.values()) for (const nano of taken) expect(nano >= 0n).toBe(true);
      },
      fc.oneof(paying, returning, returning, step),
    ));

  test('a closed month keeps its roubles, whatever is booked or corrected later', () =>
    property(({ book, acts }) => {
      for (const [month, kopecks] of acts) expect(kopecksOf(book, month)).toBe(kopecks);
    }));
});

test('lots are consumed first in, first out', () => {
  const book = new LotBook();
  book.credit({ lineId: 1, paymentId: 'a', nano: 10_000n, kopecks: 900n }, '2026-01-01');
  book.credit({ lineId: 2, paymentId: null, nano: 5_000n, kopecks: 0n }, '2026-01-01');
  book.credit({ lineId: 3, paymentId: 'b', nano: 10_000n, kopecks: 1_000n }, '2026-01-01');
  book.charge(16_000n, '2026-01-01');
  expect(book.lots.map(({ usedNano }) => usedNano)).toEqual([10_000n, 5_000n, 1_000n]);
  expect(kopecksOf(book, '2026-01-01')).toBe(1_000n);
});

test('a won dispute reopens the lots that it took, not one that was refunded since', () => {
  const book = new LotBook();
  const month = '2026-01-01';
  for (const [index, paymentId] of ['a', 'b', 'c'].entries())
    book.credit({ lineId: index + 1, paymentId, nano: 10_000n, kopecks: 900n + BigInt(index) }, month);
  book.charge(10_000n, month);
  book.takeBack(10_000n, { paymentId: 'c', month });
  book.takeBack(10_000n, { paymentId: 'a', month });
  book.credit({ lineId: 4, paymentId: 'd', nano: 10_000n, kopecks: 1_000n }, month);
  book.takeBack(10_000n, { paymentId: 'd', month });
  const reopened = new LotBook(book);
  reopened.restore(10_000n, { paymentId: 'a', lineId: 5, month });
  expect(reopened.lots.map(({ returnedNano }) => returnedNano)).toEqual([0n, 0n, 10_000n, 10_000n]);
});

test('a refund that was counted without its payment comes back to its own lot, then to the newest', () => {
  const book = new LotBook();
  const month = '2026-01-01';
  for (const [index, paymentId] of ['a', 'b', 'c'].entries())
    book.credit({ lineId: index + 1, paymentId, nano: 10_000n, kopecks: 900n }, month);
  book.charge(6_000n, month);
  book.takeBack(9_000n, { paymentId: 'a', month });
  book.takeBack(10_000n, { paymentId: 'b', month });
  const stored = new LotBook({ lots: book.lots });
  stored.restore(9_000n, { paymentId: 'a', lineId: 4, month });
  expect(stored.lots.map(({ returnedNano }) => returnedNano)).toEqual([0n, 10_000n, 0n]);
});

test('a month begins at midnight of the billing time zone', () => {
  const instant = new Date('2026-10-31T21:30:00Z');
  expect(monthOf(instant, 'Europe/Moscow')).toBe('2026-11-01');
  expect(monthOf(instant, 'UTC')).toBe('2026-10-01');
  expect(monthAfter('2026-12-01')).toBe('2027-01-01');
});

test('a line that is booked after its month was closed counts for the first open one', () => {
  const closed = [
    { month: '2026-10-01', throughLineId: 100 },
    { month: '2026-11-01', throughLineId: 200 },
  ];
  expect([90, 150, 250].map((line) => countedMonth('2026-10-01', line, closed))).toEqual([
    '2026-10-01',
    '2026-11-01',
    '2026-12-01',
  ]);
  expect(countedMonth('2026-09-01', 300, closed)).toBe('2026-12-01');
});
