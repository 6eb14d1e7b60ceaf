/** What is done with keys, as the audit log keeps it: amounts are decimal strings of USD. */
import type { KeyKind } from '../../shared/keys/api-key.ts';
import { formatUsd, nanoUsd } from '../../shared/money.ts';
import type { Transaction } from '../database/connect.ts';
import { type Actor, recordAction } from '../operations/audit/record-action.ts';
import type { KeyChange } from './change-key.ts';
import type { CreatedKey, NewKey } from './create-key.ts';
import type { Key } from './find-key.ts';
import type { RotatedKey } from './rotate-key.ts';

/** What a key is made with, besides whose and of what kind it is. */
export type KeyFields = Omit<NewKey, 'accountId' | 'kind' | 'createdBy' | 'keysOf'>;

export function recordCreatedKey(
  transaction: Transaction,
  actor: Actor,
  { accountId, kind, fields, made }: { accountId: number; kind: KeyKind; fields: KeyFields; made: CreatedKey },
): Promise<void> {
  return recordAction(transaction, actor, {
    action: kind === 'proxy' ? 'key.create' : 'billing_key.create',
    subject: `key ${made.id}`,
    accountId,
    after: { ...audited(fields), prefix: made.prefix },
  });
}

export function recordChangedKey(
  transaction: Transaction,
  actor: Actor,
  { before, after, change }: { before: Key; after: Key; change: KeyChange },
): Promise<void> {
  const changedPart = (key: Key) =>
    audited(Object.fromEntries(Object.entries(key).filter(([column]) => Object.hasOwn(change, column))));
  return recordAction(transaction, actor, {
    action: 'key.update',
    subject: `key ${before.id}`,
    accountId: before.accountId,
    before: changedPart(before),
    after: changedPart(after),
  });
}

export function recordRotatedKey(
  transaction: Transaction,
  actor: Actor,
  { created, before, old }: RotatedKey,
): Promise<void> {
  return recordAction(transaction, actor, {
    action: 'key.rotate',
    subject: `key ${old.id}`,
    accountId: old.accountId,
    before: { expiresAt: before.expiresAt },
    after: { expiresAt: old.expiresAt, newKey: created.id, prefix: created.prefix },
  });
}

export function recordDeletedKey(
  transaction: Transaction,
  actor: Actor,
  { id, accountId, name, prefix }: Key,
): Promise<void> {
  return recordAction(transaction, actor, {
    action: 'key.revoke',
    subject: `key ${id}`,
    accountId,
    before: { name, prefix },
  });
}

function audited(columns: object): object {
  const fields = Object.entries(columns).map(([column, value]) => [
    column.replace(/Nano$/, ''),
    typeof value === 'bigint' ? formatUsd(nanoUsd(value)) : value,
  ]);
  return Object.fromEntries(fields);
}
