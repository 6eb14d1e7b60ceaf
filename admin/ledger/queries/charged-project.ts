/** The project that a charge is attributed to: in which its key was when it was made. */
import { type AnyColumn, type SQL, sql } from 'drizzle-orm';
import type { DbOrTransaction } from '../../database/connect.ts';
import type { UsageEvent } from './usage-event.ts';

export interface ChargedProject {
  readonly id: number;
  readonly name: string;
}

interface Attribution {
  readonly assignmentId: AnyColumn | number | null;
  readonly keyId: AnyColumn | number;
}

/** An expression for the project of an event; null if it is in none. */
export const chargedProject = ({ assignmentId, keyId }: Attribution): SQL<ChargedProject | null> => sql`(
  SELECT json_build_object('id', projects.id, 'name', projects.name)
  FROM assignments JOIN projects ON projects.id = assignments.project_id
  WHERE assignments.id = coalesce(${assignmentId}::bigint, ${keyId}))`;

export async function readChargedProject(db: DbOrTransaction, event: UsageEvent): Promise<ChargedProject | null> {
  const [row] = await db.execute<{ project: ChargedProject | null }>(sql`SELECT ${chargedProject(event)} AS project`);
  return row?.project ?? null;
}
