/** What the scripts reserve and peek answer, as values. */
import { type NanoUsd, nanoUsd } from '../money.ts';

export interface Reservation {
  readonly ok: true;
  readonly accountId: number;
  readonly keyId: number;
  readonly outputCap: number;
  /** What is held: less than was asked for where the cap was lowered. */
  readonly amountNano: NanoUsd;
  readonly epoch: string;
}

/** A reserve would succeed with this cap and hold this amount. */
export interface Peek {
  readonly ok: true;
  readonly outputCap: number;
  readonly amountNano: NanoUsd;
  /** What the wallet has now. */
  readonly availableNano: NanoUsd;
  readonly heldNano: NanoUsd;
}

export interface ShortRefusal {
  readonly ok: false;
  readonly reason: 'short';
  readonly availableNano: NanoUsd;
  readonly heldNano: NanoUsd;
}

/** Why a request cannot begin. */
export type StartRefusal =
  | ShortRefusal
  | {
      readonly ok: false;
      readonly reason:
        | 'key_unknown'
        | 'key_inactive'
        | 'key_expired'
        | 'model_not_allowed'
        | 'recovering'
        | 'wallet_missing';
    };

export type ReserveRefusal = StartRefusal | { readonly ok: false; readonly reason: 'already_done' };

export function readReserveReply(reply: readonly string[]): Reservation | ReserveRefusal {
  const [status, account = '', key = '', cap = '', amount = '', epoch = ''] = reply;
  if (status === 'DONE') return { ok: false, reason: 'already_done' };
  if (status !== 'OK') return readRefusal(reply);
  return {
    ok: true,
    accountId: Number(account),
    keyId: Number(key),
    outputCap: Number(cap),
    amountNano: nanoUsd(BigInt(amount)),
    epoch,
  };
}

export function readPeekReply(reply: readonly string[]): Peek | StartRefusal {
  const [status, available = '', held = '', cap = '', amount = ''] = reply;
  if (status !== 'OK') return readRefusal(reply);
  return {
    ok: true,
    outputCap: Number(cap),
    amountNano: nanoUsd(BigInt(amount)),
    availableNano: nanoUsd(BigInt(available)),
    heldNano: nanoUsd(BigInt(held)),
  };
}

function readRefusal([status, available = '', held = '']: readonly string[]): StartRefusal {
  switch (status) {
    case 'SHORT':
      return { ok: false, reason: 'short', availableNano: nanoUsd(BigInt(available)), heldNano: nanoUsd(BigInt(held)) };
    case 'KEY_UNKNOWN':
      return { ok: false, reason: 'key_unknown' };
    case 'KEY_INACTIVE':
      return { ok: false, reason: 'key_inactive' };
    case 'KEY_EXPIRED':
      return { ok: false, reason: 'key_expired' };
    case 'MODEL_NOT_ALLOWED':
      return { ok: false, reason: 'model_not_allowed' };
    case 'RECOVERING':
      return { ok: false, reason: 'recovering' };
    case 'MISS':
      return { ok: false, reason: 'wallet_missing' };
    default:
      throw new Error(`reserve or peek answered ${status}`);
  }
}
