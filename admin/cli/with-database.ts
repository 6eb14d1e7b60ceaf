/** Lends a command a database whose schema is up to date, and always closes it, so that the command exits. */
import { loadCommandConfig } from '../config/admin.ts';
import { connectDatabase, type Database, longWaits } from '../database/connect.ts';
import { readSchemaState } from '../database/migrate.ts';
import { UsageArchive } from '../ledger/archive/usage-archive.ts';
import { DetailedError } from './describe-failure.ts';

export interface CommandDatabase extends Database {
  readonly archive: UsageArchive;
}

export async function withDatabase<Result>(
  work: (database: CommandDatabase) => Promise<Result>,
  waits = longWaits,
): Promise<Result> {
  const { databaseUrl, archivePlace } = loadCommandConfig(['databaseUrl', 'archivePlace']);
  const database = connectDatabase(databaseUrl, { connections: 3, waits });
  try {
    const { missing } = await readSchemaState(database.sql);
    if (missing.length > 0) {
      const message = `The database is missing ${missing.join(', ')}. Run \`bun run gateway migrate\` first.`;
      throw new DetailedError('schema_behind', message, { missing });
    }
    return await work({ ...database, archive: new UsageArchive(archivePlace) });
  } finally {
    await database.close();
  }
}
