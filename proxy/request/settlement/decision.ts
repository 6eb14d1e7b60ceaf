/**
 * The decision to settle or release a request, and its packed form. Tens of thousands of decisions are kept for
 * minutes. As objects, each is a dozen allocations that the garbage collector must visit, which pauses every request
 * for 10 ms; a string is only one, however long it is.
 */
import { nanoUsd } from '../../../shared/money.ts';
import type { Shard } from '../../../shared/wallet/shard.ts';
import type { FinalCharge, HeldRequest, ReleasedRequest } from '../../../shared/wallet/wallet.ts';

export type Settle = { readonly kind: 'settle'; readonly held: HeldRequest } & FinalCharge;

export type Decision = Settle | { readonly kind: 'release'; readonly held: ReleasedRequest };

/** Ids, digests and numbers have no line breaks, and JSON escapes them. */
const separator = '\n';
const fieldCount = 11;

/** Everything but the shard and the response. Redis has the response; if it loses it, a repetition is refused as gone. */
export function packDecision(decision: Decision): string {
  const { requestId } = decision.held;
  if (decision.kind === 'release') return requestId + separator.repeat(fieldCount - 1);
  const { held, costNano, chargedNano = '', tokens, detail } = decision;
  const once = held.once === undefined ? '\n' : `${held.once.idempotencyKeyDigest}\n${held.once.bodyDigest}`;
  return `${requestId}\n${held.accountId}\n${held.keyId}\n${held.assignment ?? ''}\n${held.epoch}\n${costNano}\n${chargedNano}\n${tokens}\n${once}\n${detail}`;
}

export function joinPacked(decisions: readonly string[]): string {
  return decisions.join(separator);
}

export function unpackDecisions(shard: Shard, packed: string): Decision[] {
  const fields = packed.split(separator);
  const decisions: Decision[] = [];
  for (let at = 0; at < fields.length; at += fieldCount) {
    decisions.push(readDecision(shard, fields.slice(at, at + fieldCount)));
  }
  return decisions;
}

function readDecision(shard: Shard, fields: readonly string[]): Decision {
  const [requestId = '', accountId, keyId, assignment = '', epoch = '', cost = '', charged = '', ...others] = fields;
  const [tokens, digest = '', bodyDigest = ''] = others;
  if (cost === '') return { kind: 'release', held: { requestId, shard } };
  const once = digest === '' ? undefined : { idempotencyKeyDigest: digest, bodyDigest };
  const held = { requestId, shard, accountId: Number(accountId), keyId: Number(keyId), assignment, epoch, once };
  const chargedNano = charged === '' ? undefined : nanoUsd(BigInt(charged));
  const [costNano, detail] = [nanoUsd(BigInt(cost)), fields[fieldCount - 1] ?? ''];
  return { kind: 'settle', held, costNano, chargedNano, tokens: Number(tokens), detail };
}
