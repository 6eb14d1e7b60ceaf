/**
 * Moves a key to another project, or to another user. What it is charged from then on is attributed to them, and what it was
 * charged before stays where it was.
 */
import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../database/connect.ts';
import { keyAssignments } from '../database/tables/api-keys.ts';
import type { Key } from './find-key.ts';

type Assigned = Pick<Key, 'projectId' | 'createdBy'>;

/** Returns the columns to write to the key, which the caller has locked. The same assignment has the same number again. */
export async function assignKey(
  transaction: Transaction,
  key: Key,
  {
    projectId = key.projectId,
    createdBy = key.createdBy,
  }: { [Column in keyof Assigned]?: Assigned[Column] | undefined },
): Promise<Assigned & Pick<Key, 'assignmentId'>> {
  if (projectId === key.projectId && createdBy === key.createdBy) {
    return { projectId, createdBy, assignmentId: key.assignmentId };
  }
  await keep(transaction, key, sql`${key.assignmentId ?? key.id}`);
  const moved = { id: key.id, projectId, createdBy };
  await keep(transaction, moved, sql`nextval(pg_get_serial_sequence('api_keys', 'id'))`);
  const [assignment] = await transaction
    .select({ id: keyAssignments.id })
    .from(keyAssignments)
    .where(
      and(
        eq(keyAssignments.keyId, key.id),
        sql`${keyAssignments.projectId} IS NOT DISTINCT FROM ${projectId}`,
        sql`${keyAssignments.userId} IS NOT DISTINCT FROM ${createdBy}`,
      ),
    );
  if (assignment === undefined) throw new Error(`key ${key.id} has no assignment although one was inserted`);
  return { projectId, createdBy, assignmentId: assignment.id };
}

async function keep(
  transaction: Transaction,
  { id: keyId, projectId, createdBy: userId }: Assigned & Pick<Key, 'id'>,
  id: SQL,
): Promise<void> {
  await transaction.insert(keyAssignments).values({ id, keyId, projectId, userId }).onConflictDoNothing();
}
