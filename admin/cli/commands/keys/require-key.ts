/** The key that an operator names by its id, of any account. */
import { and, eq, isNull } from 'drizzle-orm';
import { GatewayError } from '../../../../shared/errors.ts';
import type { KeyKind } from '../../../../shared/keys/api-key.ts';
import type { Transaction } from '../../../database/connect.ts';
import { apiKeys } from '../../../database/tables/api-keys.ts';
import type { Key } from '../../../keys/find-key.ts';

/** Locks the key until the transaction ends. Throws GatewayError `not_found`, also for a deleted key. */
export async function requireKey(
  transaction: Transaction,
  { id, kind }: { id: number; kind?: KeyKind | undefined },
): Promise<Key> {
  const [key] = await transaction
    .select()
    .from(apiKeys)
    .where(and(eq(apiKeys.id, id), isNull(apiKeys.deletedAt), kind && eq(apiKeys.kind, kind)))
    .for('update');
  const what = kind === undefined ? 'key' : `${kind} key`;
  if (key === undefined) throw new GatewayError('not_found', `There is no ${what} ${id}.`, { param: 'id' });
  return key;
}
