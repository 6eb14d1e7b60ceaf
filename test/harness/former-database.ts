/** A database as the migrations before a certain one have left it. */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate } from 'drizzle-orm/postgres-js/migrator';
import postgres, { type Sql } from 'postgres';
import { createTestDatabase } from './postgres.ts';

export interface FormerDatabase {
  readonly url: string;
  /** Any number of connections. */
  readonly sql: Sql;
  close(): Promise<void>;
}

/** Without the migration whose name begins so, and all later ones. */
export async function openFormerDatabase(before: string): Promise<FormerDatabase> {
  const { url: usual, drop } = await createTestDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'migrations-'));
  const name = `former_${crypto.randomUUID().replaceAll('-', '')}`;
  const operator = postgres(usual, { max: 1, onnotice: () => {} });
  const url = Object.assign(new URL(usual), { pathname: `/${name}` }).href;
  await operator.unsafe(`CREATE DATABASE ${name}`);
  await cp(join(import.meta.dir, '../../drizzle'), folder, { recursive: true });
  const path = join(folder, 'meta/_journal.json');
  const journal = JSON.parse(await readFile(path, 'utf8'));
  const isFormer = ({ tag }: { tag: string }) => tag < before;
  await writeFile(path, JSON.stringify({ ...journal, entries: journal.entries.filter(isFormer) }));
  const migrator = postgres(url, { max: 1, onnotice: () => {} });
  await migrate(drizzle(migrator), { migrationsFolder: folder });
  await migrator.end();
  await rm(folder, { recursive: true });
  const sql = postgres(url, { onnotice: () => {} });
  return {
    url,
    sql,
    close: async () => {
      await sql.end();
      await operator.unsafe(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await operator.end();
      await drop();
    },
  };
}
