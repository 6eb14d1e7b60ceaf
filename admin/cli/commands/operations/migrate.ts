/** `gateway migrate`: brings the database's schema up to date. */
import type { Sql } from 'postgres';
import { counted } from '../../../../shared/counted.ts';
import { loadCommandConfig } from '../../../config/admin.ts';
import { connectDatabase } from '../../../database/connect.ts';
import { bookCompactly, migrateDatabase, readSchemaState } from '../../../database/migrate.ts';
import { command } from '../../command.ts';
import { DetailedError } from '../../describe-failure.ts';

export const migrate = command({
  description: "Bring the database's schema up to date",
  args: {
    compact: {
      type: 'boolean',
      description: 'Book charges as one row each from now on; version 0.1.0 cannot use the database any more',
    },
  },
  run: async ({ compact = false }) => {
    const { databaseUrl } = loadCommandConfig(['databaseUrl']);
    const database = connectDatabase(databaseUrl, { connections: 1 });
    try {
      const { missing } = await readSchemaState(database.sql);
      await migrateDatabase(databaseUrl);
      const text = missing.length === 0 ? 'The schema is up to date.' : `Applied ${missing.join(', ')}.`;
      if (!compact) return { text, object: { applied: missing } };
      const admins = await countAdminsOf010(database.sql);
      if (admins > 0) throw admin010IsRunning(admins);
      const changed = await bookCompactly(database.sql);
      const booked = changed
        ? 'Charges are booked as one row each from now on.'
        : 'Charges are booked as one row each.';
      return { text: `${text}\n${booked}`, object: { applied: missing, compact: true } };
    } finally {
      await database.close();
    }
  },
});

/** Each has one connection of this name; later versions use another one. */
async function countAdminsOf010(sql: Sql): Promise<number> {
  const [row] = await sql<{ admins: number }[]>`
    SELECT count(*)::int AS admins FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'gateway-leases'`;
  return row?.admins ?? 0;
}

function admin010IsRunning(admins: number): DetailedError {
  const running = `${counted(admins, 'admin')} of version 0.1.0 ${admins === 1 ? 'is' : 'are'} running`;
  return new DetailedError(
    'older_version_running',
    `${running}. Replace them first: they cannot read compact charges.`,
    {
      admins,
    },
  );
}
