/**
 * Parses a stream entry into a charge, a request for a wallet, or the new hash of a key. Any other entry is reported, never dropped.
 */
import { parseScope, type Scope } from '../../../shared/limits/budget-levels.ts';
import { type ChargeDetail, decodeChargeDetail, readChargeDetail } from '../../../shared/usage/charge-detail.ts';
import type { DrawnCharge, UsageEntry } from '../../../shared/wallet/usage-stream/usage-entry.ts';
import type { Asked } from '../../keys/hydrate-spend.ts';
import type { Rehash } from '../../keys/rehash-key.ts';

/** The total cost of one request, at one rank. */
export interface Charge {
  readonly kind: 'charge';
  readonly requestId: string;
  readonly accountId: number;
  readonly keyId: number;
  /** What it is attributed to; null for a key that had never been moved. */
  readonly assignmentId: number | null;
  /** 1 an estimate, 2 final. */
  readonly rank: 1 | 2;
  readonly costNano: bigint;
  readonly unchargedNano: bigint;
  readonly detail: ChargeDetail;
  readonly epoch: number;
  /** The wallet's own numbering and its `spent` after this charge; null when the wallet was missing. */
  readonly walletSeq: number | null;
  readonly walletSpentNano: bigint | null;
  readonly chargedAt: Date;
}

export interface WalletRequest {
  readonly kind: 'hydrate';
  readonly accountId: number;
  /** Within what the spending is missing; the wallet alone if there is nothing. */
  readonly scopes: readonly Scope[];
  readonly asked: Asked;
  /** The key whose spending was requested for display, if any. */
  readonly shownKeyId: number | undefined;
}

/** A key that a proxy still found by a hash under a former pepper. */
export interface RehashRequest extends Rehash {
  readonly kind: 'rehash';
}

export interface Unreadable {
  readonly kind: 'unreadable';
  readonly problem: string;
}

const wholeNumber = /^-?\d{1,18}$/;
const keyHash = /^[0-9a-f]{64}$/;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function readUsageEntry(entry: UsageEntry): Charge | WalletRequest | RehashRequest | Unreadable {
  const { fields } = entry;
  const accountId = readNumber(fields.account);
  if (accountId === undefined) return unreadable('account');
  if (entry.drawn !== undefined) return readDrawn(accountId, entry, entry.drawn);
  if (fields.kind === 'hydrate') {
    return readWalletRequest(accountId, entry);
  }
  if (fields.kind === 'rehash') return readRehash(accountId, fields);
  if (fields.kind !== 'charge') return unreadable('kind');

  const keyId = readNumber(fields.key);
  const costNano = readBigInt(fields.cost);
  const unchargedNano = readBigInt(fields.uncharged);
  const epoch = readNumber(fields.epoch);
  const detail = decodeChargeDetail(fields.detail ?? '');
  const requestId = fields.request ?? '';
  if (!uuid.test(requestId)) return unreadable('request');
  if (fields.rank !== '1' && fields.rank !== '2') return unreadable('rank');
  if (keyId === undefined) return unreadable('key');
  if (costNano === undefined || costNano < 0n) return unreadable('cost');
  if (unchargedNano === undefined) return unreadable('uncharged');
  if (epoch === undefined) return unreadable('epoch');
  if (detail === undefined) return unreadable('detail');
  return {
    kind: 'charge',
    requestId,
    accountId,
    keyId,
    assignmentId: readNumber(fields.assignment) ?? null,
    rank: fields.rank === '1' ? 1 : 2,
    costNano,
    unchargedNano,
    detail,
    epoch,
    walletSeq: readNumber(fields.seq) ?? null,
    walletSpentNano: readBigInt(fields.spent) ?? null,
    chargedAt: timeOf(entry),
  };
}

function readDrawn(accountId: number, entry: UsageEntry, drawn: DrawnCharge): Charge | Unreadable {
  const { fields } = entry;
  const { request: requestId, cost, uncharged, seq: walletSeq, spent: walletSpentNano } = drawn;
  const keyId = readNumber(fields.key);
  const epoch = readNumber(fields.epoch);
  const costNano = readBigInt(cost);
  const unchargedNano = readBigInt(uncharged);
  const detail = readChargeDetail(drawn.detail);
  if (keyId === undefined) return unreadable('key');
  if (epoch === undefined) return unreadable('epoch');
  if (!uuid.test(requestId)) return unreadable('request');
  if (costNano === undefined) return unreadable('cost');
  if (unchargedNano === undefined) return unreadable('uncharged');
  if (detail === undefined) return unreadable('detail');
  return {
    ...{ kind: 'charge', rank: 2, requestId, accountId, keyId, costNano, unchargedNano, detail, epoch },
    ...{ assignmentId: readNumber(fields.assignment) ?? null, walletSeq, walletSpentNano, chargedAt: timeOf(entry) },
  };
}

/** Versions before 0.2.0 ask for a key only, and begin no record. */
function readWalletRequest(accountId: number, entry: UsageEntry): WalletRequest {
  const { fields, id } = entry;
  const keyId = readNumber(fields.key);
  const named = fields.scopes?.split(' ').filter((name) => name !== '');
  const ofKey: readonly Scope[] = keyId === undefined ? [] : [{ level: 'key', accountId, id: keyId }];
  return {
    kind: 'hydrate',
    accountId,
    scopes: named?.flatMap((name) => parseScope(accountId, name) ?? []) ?? ofKey,
    asked: { id: named === undefined ? undefined : id, at: timeOf(entry) },
    shownKeyId: readNumber(fields.shown),
  };
}

function timeOf({ id }: UsageEntry): Date {
  return new Date(Number.parseInt(id, 10));
}

function readRehash(accountId: number, fields: UsageEntry['fields']): RehashRequest | Unreadable {
  const { former: formerHash = '', hash = '', pepper: pepperMark = '' } = fields;
  const keyId = readNumber(fields.key);
  if (keyId === undefined) return unreadable('key');
  if (!keyHash.test(formerHash)) return unreadable('former');
  if (!keyHash.test(hash)) return unreadable('hash');
  return { kind: 'rehash', accountId, keyId, formerHash, hash, pepperMark };
}

function unreadable(field: string): Unreadable {
  return { kind: 'unreadable', problem: `field ${field} is missing or malformed` };
}

function readNumber(text: string | undefined): number | undefined {
  return text !== undefined && wholeNumber.test(text) ? Number(text) : undefined;
}

function readBigInt(text: string | undefined): bigint | undefined {
  return text !== undefined && wholeNumber.test(text) ? BigInt(text) : undefined;
}
