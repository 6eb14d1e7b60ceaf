/** Projects of an organization: what its proxy keys are used for, and where its accounting books what they spend. */
import { and, asc, count, eq, isNull, ne, sql } from 'drizzle-orm';
import { GatewayError } from '../../shared/errors.ts';
import { type NanoUsd, nanoUsd } from '../../shared/money.ts';
import type { Db, DbOrTransaction, Transaction } from '../database/connect.ts';
import { refuseDeleted } from '../database/rows/account-state.ts';
import { projects } from '../database/tables/projects.ts';
import { announceKeysOf } from '../keys/announce-key.ts';
import { lockKeysOf } from '../keys/find-key.ts';
import { isOneOfProjects, keysInProject, type ProjectFilter } from '../keys/key-project.ts';
import { type Actor, recordAction } from '../operations/audit/record-action.ts';
import { lockAsManager, type Manager } from './manager.ts';

/** Of an organization, archived ones included, because the list is not paginated. */
export const projectsMax = 500;

export interface Project {
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
  readonly costCenter: string | null;
  readonly archivedAt: Date | null;
  readonly createdAt: Date;
}

export interface ListedProject extends Project {
  /** How many proxy keys are in it. */
  readonly keys: number;
  /** Today, in UTC, and on the 29 days before. */
  readonly spent30dNano: NanoUsd;
}

interface ProjectFields {
  readonly name: string;
  readonly description?: string | null;
  readonly costCenter?: string | null;
}

export type ProjectChange = Partial<ProjectFields> & { readonly archived?: boolean };

const columns = {
  id: projects.id,
  name: projects.name,
  description: projects.description,
  costCenter: projects.costCenter,
  archivedAt: projects.archivedAt,
  createdAt: projects.createdAt,
};

/** By name, archived ones last; with an id, only that one. */
export function listProjects(db: DbOrTransaction, filter: ProjectFilter, id?: number): Promise<ListedProject[]> {
  const spent = sql`(
    SELECT coalesce(sum(total.cost_nano), 0)
    FROM key_costs_between(${filter.accountId}, date_trunc('day', now(), 'UTC') - interval '29 days', 'infinity') AS total
    JOIN assignments ON assignments.id = total.key_id
    WHERE assignments.account_id = ${filter.accountId} AND assignments.project_id = projects.id)`;
  return db
    .select({
      ...columns,
      keys: sql`(SELECT count(*) ${keysInProject})`.mapWith(Number),
      spent30dNano: spent.mapWith((text) => nanoUsd(BigInt(text))),
    })
    .from(projects)
    .where(and(isOneOfProjects(filter), id === undefined ? undefined : eq(projects.id, id)))
    .orderBy(sql`${projects.archivedAt} IS NOT NULL`, sql`lower(${projects.name})`, asc(projects.id));
}

/** Throws GatewayError `not_found`. */
export async function findProject(db: DbOrTransaction, filter: ProjectFilter, id: number): Promise<ListedProject> {
  const [project] = await listProjects(db, filter, id);
  if (project === undefined) throw projectNotFound(id);
  return project;
}

/** The account that a project belongs to. Throws GatewayError `not_found`. */
export async function findProjectOwner(db: DbOrTransaction, id: number): Promise<number> {
  const [project] = await db.select({ accountId: projects.accountId }).from(projects).where(eq(projects.id, id));
  if (project === undefined) throw projectNotFound(id);
  return project.accountId;
}

/** Throws GatewayError `role_required`, `project_exists` or `too_many_projects`. Returns its id. */
export function createProject(db: Db, actor: Actor, manager: Manager, fields: ProjectFields): Promise<number> {
  const { accountId } = manager;
  return db.transaction(async (transaction) => {
    await lockAsManager(transaction, manager, 'projects:manage');
    return addProject(transaction, actor, { accountId, fields });
  });
}

/** The account is locked. */
export async function addProject(
  transaction: Transaction,
  actor: Actor,
  { accountId, fields }: { accountId: number; fields: ProjectFields },
): Promise<number> {
  await refuseDeleted(transaction, accountId);
  const [existing] = await transaction
    .select({ projects: count() })
    .from(projects)
    .where(eq(projects.accountId, accountId));
  if (existing !== undefined && existing.projects >= projectsMax) throw tooManyProjects();
  await refuseTaken(transaction, { accountId, name: fields.name });
  const [project] = await transaction
    .insert(projects)
    .values({ ...fields, accountId })
    .returning();
  if (project === undefined) throw new Error('an insert returned no project');
  await recordAction(transaction, actor, {
    action: 'project.create',
    subject: `project ${project.id}`,
    accountId,
    after: fields,
  });
  return project.id;
}

/**
 * The keys of an archived project are refused once the outbox is delivered. Throws GatewayError `not_found`, `role_required`
 * or `project_exists`.
 */
export function changeProject(
  db: Db,
  actor: Actor,
  manager: Manager,
  input: { id: number; change: ProjectChange },
): Promise<void> {
  const { accountId } = manager;
  return db.transaction(async (transaction) => {
    await lockAsManager(transaction, manager, 'projects:manage');
    await applyChange(transaction, actor, { accountId, ...input });
  });
}

/** The account is locked. */
export async function applyChange(
  transaction: Transaction,
  actor: Actor,
  { accountId, id, change: { archived, ...fields } }: { accountId: number; id: number; change: ProjectChange },
): Promise<void> {
  const isOwn = and(eq(projects.accountId, accountId), eq(projects.id, id));
  const [before] = await transaction.select().from(projects).where(isOwn);
  if (before === undefined) throw projectNotFound(id);
  const wasArchived = before.archivedAt !== null;
  const isArchived = archived ?? wasArchived;
  // Keys before the project, as where a key is put into it.
  if (isArchived !== wasArchived) await lockKeysOf(transaction, accountId);
  if (!isArchived) await refuseTaken(transaction, { accountId, name: fields.name ?? before.name, id });
  const archivedAt = isArchived ? (before.archivedAt ?? new Date()) : null;
  await transaction
    .update(projects)
    .set({ ...fields, archivedAt })
    .where(isOwn);
  if (isArchived !== wasArchived) await announceKeysOf(transaction, { accountId, projectId: id });
  const changed = (values: object) =>
    Object.fromEntries(Object.entries(values).filter(([name]) => Object.hasOwn(fields, name)));
  await recordAction(transaction, actor, {
    action: 'project.update',
    subject: `project ${id}`,
    accountId,
    before: { ...changed(before), ...(archived !== undefined && { archived: wasArchived }) },
    after: { ...changed(fields), ...(archived !== undefined && { archived }) },
  });
}

/** Names of projects that are not archived are unique, without regard to case. The account is locked. */
async function refuseTaken(
  transaction: Transaction,
  { accountId, name, id = 0 }: { accountId: number; name: string; id?: number },
): Promise<void> {
  const [taken] = await transaction
    .select({ id: projects.id })
    .from(projects)
    .where(
      and(
        eq(projects.accountId, accountId),
        sql`lower(${projects.name}) = lower(${name})`,
        isNull(projects.archivedAt),
        ne(projects.id, id),
      ),
    );
  if (taken !== undefined) throw projectExists(name);
}

export const projectNotFound = (id: number) =>
  new GatewayError('not_found', `There is no project ${id}.`, { param: 'id' });

export const projectExists = (name: string) =>
  new GatewayError('project_exists', `There is a project ${JSON.stringify(name)} already.`, { param: 'name' });

export const tooManyProjects = () =>
  new GatewayError('too_many_projects', `An organization can have at most ${projectsMax} projects.`);
