/** What the keys, projects and members in sums of usage are called. Deleted keys and archived projects have usage as well. */
import { and, inArray, isNull } from 'drizzle-orm';
import type { DbOrTransaction } from '../../database/connect.ts';
import { users } from '../../database/tables/accounts.ts';
import { apiKeys } from '../../database/tables/api-keys.ts';
import { projects } from '../../database/tables/projects.ts';
import type { UsageSum } from '../../ledger/queries/usage/usage-query.ts';

/** By id. */
type Names = ReadonlyMap<number, string>;

export interface UsageNames {
  readonly keys: Names;
  readonly projects: Names;
  /** E-mail addresses, without those of people whose data was deleted. */
  readonly members: Names;
}

export async function readUsageNames(db: DbOrTransaction, sums: readonly UsageSum[]): Promise<UsageNames> {
  const idsOf = (read: (sum: UsageSum) => number | null) => [...new Set(sums.flatMap((sum) => read(sum) ?? []))];
  const keyIds = idsOf(({ keyId }) => keyId);
  const projectIds = idsOf(({ projectId }) => projectId);
  const memberIds = idsOf(({ memberId }) => memberId);
  const keys =
    keyIds.length === 0
      ? []
      : await db.select({ id: apiKeys.id, name: apiKeys.name }).from(apiKeys).where(inArray(apiKeys.id, keyIds));
  const named =
    projectIds.length === 0
      ? []
      : await db
          .select({ id: projects.id, name: projects.name })
          .from(projects)
          .where(inArray(projects.id, projectIds));
  const members =
    memberIds.length === 0
      ? []
      : await db
          .select({ id: users.id, name: users.email })
          .from(users)
          .where(and(inArray(users.id, memberIds), isNull(users.deletedAt)));
  return { keys: byId(keys), projects: byId(named), members: byId(members) };
}

const byId = (rows: readonly { readonly id: number; readonly name: string }[]): Names =>
  new Map(rows.map(({ id, name }) => [id, name]));
