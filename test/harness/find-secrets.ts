/** Looks for secrets in everything that the product writes. Each finding is the name of the secret. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Harness } from '../harness.ts';

/** By name. */
export type Secrets = ReadonlyMap<string, string>;

export function findSecrets(secrets: Secrets, text: string): string[] {
  return [...secrets].filter(([, secret]) => text.includes(secret)).map(([name]) => name);
}

/** The content of each table, by its name. */
export async function findInTables(
  { database: { sql } }: Harness,
  secrets: Secrets,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const tables = await sql<{ name: string }[]>`
    SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
    WHERE relkind IN ('r', 'p') AND nspname = 'public'`;
  const found = new Map<string, readonly string[]>();
  for (const { name } of tables) {
    const rows = await sql.unsafe(`SELECT t::text AS row FROM ${name} AS t`);
    found.set(name, findSecrets(secrets, rows.map(({ row }) => `${row} ${fromHex(row)}`).join('\n')));
  }
  return found;
}

export async function findInRedis({ redis }: Harness, secrets: Secrets): Promise<string[]> {
  const found: string[] = [];
  for (const key of await redis.keys('*')) {
    const dumped = await redis.dumpBuffer(key);
    found.push(...findSecrets(secrets, `${key} ${dumped?.toString('latin1')}`));
  }
  return found;
}

/** The files of the data directory, the logs among them. */
export async function findInFiles({ directory }: Harness, secrets: Secrets): Promise<string[]> {
  const files = await readdir(directory, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const file of files) {
    if (file.isFile()) found.push(...findSecrets(secrets, await Bun.file(join(file.parentPath, file.name)).text()));
  }
  return found;
}

/** The text of bytes that a row shows in hexadecimal. */
function fromHex(row: string): string {
  return [...row.matchAll(/\\x([\da-f]+)/g)]
    .map(([, hex = '']) => Buffer.from(hex, 'hex').toString('latin1'))
    .join(' ');
}
