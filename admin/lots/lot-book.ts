/**
 * The lots of one account, as the lines of its ledger make them, one after the other. Without I/O, so that counting again
 * from the beginning gives the same result.
 *
 * The roubles of the first n dollars of a lot are a function of n alone, rounded down. So the parts of a lot sum to its
 * whole in whatever steps it is used, and a correction takes back exactly what it had given. Refunds shorten a lot from
 * its end. Which payment's refund has shortened a lot is remembered, so that one that comes back reopens no other's.
 */
import { nanoUsd, type RubKopecks, rubKopecks } from '../../shared/money.ts';
import { kopecksOfPart, type RoublesOfDollars } from '../money/payment-money.ts';

export interface Lot {
  readonly lineId: number;
  readonly paymentId: string | null;
  readonly nano: bigint;
  readonly kopecks: bigint;
  usedNano: bigint;
  returnedNano: bigint;
}

export type PartKind = 'usage' | 'return';

/** A change of what a month took from a lot. */
export interface LotPart {
  readonly lotLineId: number;
  readonly month: string;
  readonly kind: PartKind;
  nano: bigint;
  kopecks: bigint;
}

/** What refunds of a payment took from a lot, and what has not come back to it. */
export interface LotReturn {
  readonly lotLineId: number;
  readonly paymentId: string;
  readonly nano: bigint;
}

interface Shortening {
  /** Null if no payment is named: a withdrawal by an operator, or what a version counted that did not note it. */
  readonly paymentId: string | null;
  readonly month: string;
}

export class LotBook {
  readonly lots: Lot[];
  /** Usage that no lot covers yet: the next one does. */
  uncoveredNano: bigint;
  readonly #parts = new Map<string, LotPart>();
  /** By lot: what was returned of it, by payment. */
  readonly #returned = new Map<number, Map<string | null, bigint>>();
  /** No lot before it has anything left. */
  #first = 0;

  constructor({
    lots = [],
    returns = [],
    uncoveredNano = 0n,
  }: Partial<Pick<LotBook, 'lots' | 'returns' | 'uncoveredNano'>> = {}) {
    this.lots = lots.map((lot) => ({ ...lot }));
    this.uncoveredNano = uncoveredNano;
    for (const { lineId, returnedNano } of lots) this.#noteReturn(lineId, null, returnedNano);
    for (const { lotLineId, paymentId, nano } of returns) {
      this.#noteReturn(lotLineId, paymentId, nano);
      this.#noteReturn(lotLineId, null, -nano);
    }
  }

  /** What changed since this book was opened. */
  get parts(): readonly LotPart[] {
    return [...this.#parts.values()];
  }

  get returns(): readonly LotReturn[] {
    return [...this.#returned].flatMap(([lotLineId, byPayment]) =>
      [...byPayment].flatMap(([paymentId, nano]) => (paymentId === null ? [] : [{ lotLineId, paymentId, nano }])),
    );
  }

  credit(lot: Pick<Lot, 'lineId' | 'paymentId' | 'nano' | 'kopecks'>, month: string): void {
    this.lots.push({ ...lot, usedNano: 0n, returnedNano: 0n });
    const owed = this.uncoveredNano;
    this.uncoveredNano = 0n;
    this.#consume(owed, month);
  }

  /** A negative amount is a correction that charges less. */
  charge(nano: bigint, month: string): void {
    if (nano >= 0n) this.#consume(nano, month);
    else this.#giveBack(-nano, month);
  }

  /** Money that left the wallet: from the end of its payment's lot, and what that has no more from the newest others. */
  takeBack(nano: bigint, { paymentId, month }: Shortening): void {
    let rest = nano;
    for (const lot of this.#ownFirst(paymentId)) {
      const taken = smaller(rest, openOf(lot));
      this.#shorten(lot, taken, { paymentId, month });
      rest -= taken;
    }
    this.uncoveredNano += rest;
  }

  /** Money that came back: to the lots that refunds of its payment have shortened, its own first, then the newest. */
  restore(nano: bigint, { paymentId, lineId, month }: { paymentId: string; lineId: number; month: string }): void {
    let rest = nano;
    for (const takenBy of [paymentId, null]) {
      for (const lot of this.#ownFirst(paymentId)) {
        const returned = this.#returned.get(lot.lineId)?.get(takenBy) ?? 0n;
        const given = smaller(rest, smaller(returned, lot.returnedNano));
        // A version that does not note payments may have given back what is noted.
        if (given <= 0n) continue;
        this.#shorten(lot, -given, { paymentId: takenBy, month });
        this.#first = Math.min(this.#first, this.lots.indexOf(lot));
        rest -= given;
      }
    }
    const owed = this.uncoveredNano;
    this.uncoveredNano = 0n;
    // What was taken while no lot had it is a lot of its own.
    if (rest > 0n) this.lots.push({ lineId, paymentId: null, nano: rest, kopecks: 0n, usedNano: 0n, returnedNano: 0n });
    this.#consume(owed, month);
  }

  #ownFirst(paymentId: string | null): Lot[] {
    const own = this.lots.filter((lot) => lot.paymentId !== null && lot.paymentId === paymentId);
    return [...own, ...this.lots.toReversed()];
  }

  /** A negative amount reopens it. */
  #shorten(lot: Lot, nano: bigint, { paymentId, month }: Shortening): void {
    if (nano === 0n) return;
    const before = returnedKopecksOf(lot);
    lot.returnedNano += nano;
    this.#noteReturn(lot.lineId, paymentId, nano);
    this.#record(lot, { month, kind: 'return', nano, kopecks: returnedKopecksOf(lot) - before });
  }

  #noteReturn(lotLineId: number, paymentId: string | null, nano: bigint): void {
    const byPayment = this.#returned.get(lotLineId) ?? new Map<string | null, bigint>();
    this.#returned.set(lotLineId, byPayment.set(paymentId, (byPayment.get(paymentId) ?? 0n) + nano));
  }

  #consume(nano: bigint, month: string): void {
    let rest = nano;
    for (; rest > 0n; this.#first += 1) {
      const lot = this.lots[this.#first];
      if (lot === undefined) break;
      const taken = smaller(rest, openOf(lot));
      this.#use(lot, taken, month);
      rest -= taken;
      if (openOf(lot) > 0n) break;
    }
    this.uncoveredNano += rest;
  }

  #giveBack(nano: bigint, month: string): void {
    const covered = smaller(nano, this.uncoveredNano);
    this.uncoveredNano -= covered;
    let rest = nano - covered;
    for (let index = this.lots.length - 1; rest > 0n && index >= 0; index -= 1) {
      const lot = this.lots[index];
      if (lot === undefined || lot.usedNano === 0n) continue;
      const given = smaller(rest, lot.usedNano);
      this.#use(lot, -given, month);
      this.#first = Math.min(this.#first, index);
      rest -= given;
    }
    if (rest > 0n) throw new Error(`${rest} nano-USD were returned that were never charged`);
  }

  #use(lot: Lot, nano: bigint, month: string): void {
    if (nano === 0n) return;
    const before = usedKopecksOf(lot);
    lot.usedNano += nano;
    this.#record(lot, { month, kind: 'usage', nano, kopecks: usedKopecksOf(lot) - before });
  }

  #record({ lineId }: Lot, change: Omit<LotPart, 'lotLineId'>): void {
    const key = `${lineId} ${change.month} ${change.kind}`;
    const part = this.#parts.get(key);
    if (part === undefined) this.#parts.set(key, { lotLineId: lineId, ...change });
    else {
      part.nano += change.nano;
      part.kopecks += change.kopecks;
    }
  }
}

/** Dollars that are neither used nor returned. */
export function openOf({ nano, usedNano, returnedNano }: Lot): bigint {
  return nano - usedNano - returnedNano;
}

export function usedKopecksOf(lot: Lot): RubKopecks {
  return kopecksOfPart(nanoUsd(lot.usedNano), wholeOf(lot));
}

export function returnedKopecksOf(lot: Lot): RubKopecks {
  return rubKopecks(lot.kopecks - kopecksOfPart(nanoUsd(lot.nano - lot.returnedNano), wholeOf(lot)));
}

/** The roubles of what is open. */
export function openKopecksOf(lot: Lot): RubKopecks {
  return rubKopecks(lot.kopecks - usedKopecksOf(lot) - returnedKopecksOf(lot));
}

export function wholeOf({ nano, kopecks }: Pick<Lot, 'nano' | 'kopecks'>): RoublesOfDollars {
  return { nano: nanoUsd(nano), kopecks: rubKopecks(kopecks) };
}

function smaller(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
