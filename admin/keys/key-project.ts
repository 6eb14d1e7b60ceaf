/** The projects that keys are in, of which admin/organizations/projects.ts has the rest. */
import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm';
import { GatewayError } from '../../shared/errors.ts';
import type { DbOrTransaction, Transaction } from '../database/connect.ts';
import { apiKeys } from '../database/tables/api-keys.ts';
import { projects } from '../database/tables/projects.ts';

/** Those of an organization; with `keysOf`, in which that user has a proxy key. */
export interface ProjectFilter {
  readonly accountId: number;
  readonly keysOf?: number | undefined;
}

/** Part of a query of projects: the keys in each. */
export const keysInProject = sql`
  FROM ${apiKeys} AS key WHERE key.project_id = projects.id AND key.kind = 'proxy' AND key.deleted_at IS NULL
    AND key.session_id IS NULL`;

export const isOneOfProjects = ({ accountId, keysOf }: ProjectFilter) =>
  and(
    eq(projects.accountId, accountId),
    keysOf === undefined ? undefined : sql`EXISTS (SELECT ${keysInProject} AND key.created_by = ${keysOf})`,
  );

/**
 * Locks the project that a key is put into, so that it is not archived meanwhile. Throws GatewayError
 * `not_found`.
 */
export async function lockProjectFor(
  transaction: Transaction,
  filter: ProjectFilter,
  id: number | null | undefined,
): Promise<void> {
  if (id === null || id === undefined) return;
  const [project] = await transaction
    .select({ id: projects.id })
    .from(projects)
    .where(and(eq(projects.id, id), isNull(projects.archivedAt), isOneOfProjects(filter)))
    .for('share');
  if (project === undefined) throw noSuchProject(id);
}

/** Their ids. */
export async function readArchivedProjects(db: DbOrTransaction, accountId: number): Promise<ReadonlySet<number>> {
  const archived = await db
    .select({ id: projects.id })
    .from(projects)
    .where(and(eq(projects.accountId, accountId), isNotNull(projects.archivedAt)));
  return new Set(archived.map(({ id }) => id));
}

export const noSuchProject = (id: number) =>
  new GatewayError('not_found', `There is no project ${id}, or it is archived.`, { param: 'projectId' });
