/** `gateway migrate`: brings the database's schema up to date. */
import { loadCommandConfig } from '../../../config/admin.ts';
import { connectDatabase } from '../../../database/connect.ts';
import { migrateDatabase, readSchemaState } from '../../../database/migrate.ts';
import { command } from '../../command.ts';

export const migrate = command({
  description: "Bring the database's schema up to date",
  args: {},
  run: async () => {
    const { databaseUrl } = loadCommandConfig(['databaseUrl']);
    const database = connectDatabase(databaseUrl, { connections: 1 });
    try {
      const { missing } = await readSchemaState(database.sql);
      await migrateDatabase(databaseUrl);
      const text = missing.length === 0 ? 'The schema is up to date.' : `Applied ${missing.join(', ')}.`;
      return { text, object: { applied: missing } };
    } finally {
      await database.close();
    }
  },
});
