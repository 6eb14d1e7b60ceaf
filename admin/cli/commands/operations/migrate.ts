/** `gateway migrate`: brings the database's schema up to date. */
import { loadCommandConfig } from '../../../config/admin.ts';
import { connectDatabase } from '../../../database/connect.ts';
import { bookCompactly, migrateDatabase, readSchemaState } from '../../../database/migrate.ts';
import { command } from '../../command.ts';

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
