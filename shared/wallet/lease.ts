/**
 * A lease: a hold of a proxy instead of a request, from which it begins requests without asking (`lease.lua`). Draws of a
 * lease are made one after the other, and each is numbered; one whose reply is lost is repeated with its number.
 */
import { type NanoUsd, nanoUsd } from '../money.ts';
import { type DimensionName, decodeDimensionNames } from '../usage/dimension-names.ts';
import { encodeDefaults, type RateLimits, type RateStatuses } from './key-limits.ts';
import { readRates } from './reserve-reply.ts';
import type { Arguments, Reply } from './script.ts';
import type { Shard } from './shard.ts';

/** How long a hold lives without renewal, and a lease without a draw. */
export const holdMs = 90_000;
/** How long requests may begin from a lease after the moment in which a draw was sent that Redis has confirmed. */
export const leaseSpanMs = 2_000;
/** For how long no lease of an account is opened or grows after a recall. */
export const exactMs = 1_000;
/** Where recalls of leases are published, as `{account, key}`; `key` is empty for all keys of the account. */
export const recallChannel = 'gateway:recall';

/** A part of a wallet, and shares of the limits of a key and its account. */
export interface LeaseParts {
  readonly amountNano: NanoUsd;
  readonly requests: number;
  readonly tokens: number;
  /** Concurrent requests, streamed or not. */
  readonly streams: number;
}

/** What a request of a lease has cost. */
export interface LeaseCharge {
  readonly requestId: string;
  readonly costNano: NanoUsd;
  readonly tokens: number;
  readonly detail: string;
}

/** A request that gets a hold of its own, out of the lease. */
export interface PromotedRequest {
  readonly requestId: string;
  readonly amountNano: NanoUsd;
  readonly outputCap: number;
  /** The number that it counts as until it is settled. */
  readonly tokens: number;
  /** What is charged if it is never settled, and its charge detail. */
  readonly progressNano: NanoUsd;
  readonly detail: string;
}

/** Charges, and nothing else. */
export interface LeaseCharges {
  readonly leaseId: string;
  /** 1 opens the lease. */
  readonly number: number;
  readonly shard: Shard;
  readonly accountId: number;
  readonly charges: readonly LeaseCharge[];
  /** Every admin reads entries with many charges. */
  readonly isPacked: boolean;
}

export interface DrawRequest extends LeaseCharges {
  readonly keyHash: string;
  readonly keyId: number;
  /** The run id of the Redis that the caller is connected to. */
  readonly identity: string;
  readonly rateDefaults: RateLimits;
  /** How many requests have begun from it since the last draw. */
  readonly begun: number;
  /** The tokens of those whose charges came before this draw. */
  readonly usedTokens: number;
  /** What requests have, or may be taking at this moment: it is never taken away. */
  readonly keep: LeaseParts;
  readonly want: LeaseParts;
  /** `closed` if no more requests begin from it, `ended` if none has a part of it. */
  readonly next: 'open' | 'closed' | 'ended';
  readonly promoted: readonly PromotedRequest[];
}

/** What a lease has; without a number there is no limit. */
export interface LeaseState {
  readonly amountNano: NanoUsd;
  readonly requests: number | undefined;
  readonly tokens: number | undefined;
  readonly streams: number | undefined;
  readonly epoch: string;
}

/** `streamId` is the entry of the charges or a later one; empty if the ledger has every entry. */
export type DrawResult = { readonly streamId: string } & (
  | (LeaseState & {
      readonly status: 'open';
      /** The models that the key may use; undefined for all. */
      readonly models: readonly string[] | undefined;
      /** Of the rules that its requests are judged by; empty if there are none. */
      readonly rulesMark: string;
      /** How long the key may be used; undefined if it does not expire. */
      readonly expiresInMs: number | undefined;
      /** What else its charges are attributed to; undefined if nothing. */
      readonly dimensions: readonly DimensionName[] | undefined;
      /** What this draw leaves of the limits, of which leases have their shares. */
      readonly rates: RateStatuses;
    })
  | (LeaseState & { readonly status: 'closed'; readonly reason: string })
  | { readonly status: 'ended' | 'lost' | 'stale' }
);

export type DrawArgument =
  | 'lease'
  | 'number'
  | 'keyHash'
  | 'account'
  | 'key'
  | 'identity'
  | 'defaultLimits'
  | 'begun'
  | 'usedTokens'
  | 'keep'
  | 'want'
  | 'next'
  | 'charges'
  | 'packed'
  | 'promoted'
  | 'spanMs'
  | 'holdMs';

export function drawArguments(draw: DrawRequest): Arguments<DrawArgument> {
  return {
    lease: draw.leaseId,
    number: draw.number,
    keyHash: draw.keyHash,
    account: draw.accountId,
    key: draw.keyId,
    identity: draw.identity,
    defaultLimits: encodeDefaults(draw.rateDefaults),
    begun: draw.begun,
    usedTokens: draw.usedTokens,
    keep: partsInScripts(draw.keep),
    want: partsInScripts(draw.want),
    next: draw.next,
    ...chargesInScripts(draw),
    promoted: draw.promoted.map(({ requestId, amountNano, outputCap, tokens, progressNano, detail }) => ({
      request: requestId,
      amount: String(amountNano),
      cap: String(outputCap),
      tokens: String(tokens),
      progress: String(progressNano),
      detail,
    })),
    spanMs: leaseSpanMs,
    holdMs,
  };
}

/** As if the lease covered them: the text is what the usage stream has of them then. */
export function coveredInScripts(charges: readonly LeaseCharge[]) {
  const written = charges.map(({ requestId, costNano, detail }) => `["${requestId}","${costNano}","0",${detail}]`);
  return {
    cost: charges.reduce((sum, { costNano }) => sum + costNano, 0n),
    count: charges.length,
    charges: `[${written.join(',')}]`,
  };
}

function chargesInScripts({ charges, isPacked }: LeaseCharges) {
  return {
    charges: charges.map(({ requestId, costNano, tokens, detail }) => ({
      request: requestId,
      cost: String(costNano),
      tokens: String(tokens),
      detail,
    })),
    packed: isPacked ? '1' : '',
  };
}

function partsInScripts({ amountNano, requests, tokens, streams }: LeaseParts): Readonly<Record<string, string>> {
  return {
    amount: String(amountNano),
    requests: String(requests),
    tokens: String(tokens),
    streams: String(streams),
  };
}

export function readDrawReply(reply: Reply): DrawResult {
  const { status, streamId = '' } = reply;
  if (status === 'ENDED') return { status: 'ended', streamId };
  if (status === 'LOST') return { status: 'lost', streamId };
  if (status === 'STALE') return { status: 'stale', streamId };
  if (status === 'CLOSED') return { status: 'closed', streamId, ...readState(reply), reason: reply.reason ?? '' };
  if (status !== 'OK') throw new Error(`draw.lua returned ${status}`);
  const { models = '', expiresInMs = '', rulesMark = '' } = reply;
  return {
    status: 'open',
    streamId,
    ...readState(reply),
    models: models === '' ? undefined : models.split('\n').filter((model) => model !== ''),
    rulesMark,
    expiresInMs: numberOrNone(expiresInMs),
    dimensions: decodeDimensionNames(reply.dimensions),
    rates: readRates(reply),
  };
}

function readState({ amount = '0', epoch = '', ...shares }: Reply): LeaseState {
  return {
    amountNano: nanoUsd(BigInt(amount)),
    requests: numberOrNone(shares.requestsLeased),
    tokens: numberOrNone(shares.tokensLeased),
    streams: numberOrNone(shares.streamsLeased),
    epoch,
  };
}

function numberOrNone(text = ''): number | undefined {
  return text === '' ? undefined : Number(text);
}
