/** Can Postgres be reached, is its schema the one of this release, and is there a catalogue whose providers have keys? */
import { desc } from 'drizzle-orm';
import { isVariableSet, loadCommandConfig } from '../../../shared/config/admin.ts';
import { ConfigurationError } from '../../../shared/config/environment.ts';
import { catalogueVersions } from '../../../shared/tables/catalogue.ts';
import type { CatalogueFile } from '../../catalogue/catalogue-file.ts';
import { connectDatabase, type Database } from '../../database/connect.ts';
import { readSchemaState } from '../../database/schema-state.ts';
import { describeFailure } from '../describe-failure.ts';
import type { Finding } from './check.ts';

export async function checkPostgres(): Promise<Finding[]> {
  let database: Database | undefined;
  try {
    database = connectDatabase(loadCommandConfig(['databaseUrl']).databaseUrl, { connections: 1 });
    const [server] = await database.sql<{ version: string }[]>`SELECT current_setting('server_version') AS version`;
    const reached: Finding = { check: 'postgres', status: 'ok', detail: `version ${server?.version}` };
    const { missing } = await readSchemaState(database.sql);
    if (missing.length > 0) {
      const detail = `lacks ${missing.join(', ')}`;
      return [reached, { check: 'schema', status: 'fail', detail, advice: 'Run `bun run gateway migrate`.' }];
    }
    return [reached, { check: 'schema', status: 'ok', detail: 'up to date' }, ...(await checkCatalogue(database))];
  } catch (error) {
    // What is wrong with the variable is told by the check of the configuration.
    if (error instanceof ConfigurationError) return [];
    const detail = describeFailure(error).message;
    return [{ check: 'postgres', status: 'fail', detail, advice: 'Is it running, and is DATABASE_URL right?' }];
  } finally {
    await database?.close();
  }
}

async function checkCatalogue({ db }: Database): Promise<Finding[]> {
  const [latest] = await db.select().from(catalogueVersions).orderBy(desc(catalogueVersions.version)).limit(1);
  if (latest === undefined) {
    const advice = 'Run `bun run gateway catalogue apply FILE`.';
    return [{ check: 'catalogue', status: 'fail', detail: 'there is none', advice }];
  }
  const { models, providers } = latest.file as CatalogueFile;
  const detail = `version ${latest.version}, ${models.length} models`;
  return [{ check: 'catalogue', status: 'ok', detail }, ...providers.flatMap(checkProviderKey)];
}

function checkProviderKey({ id, apiKeyEnv }: CatalogueFile['providers'][number]): Finding[] {
  if (apiKeyEnv === undefined) return [];
  const check = `provider ${id}`;
  return isVariableSet(apiKeyEnv)
    ? [{ check, status: 'ok', detail: `${apiKeyEnv} is set` }]
    : [{ check, status: 'warn', detail: `${apiKeyEnv} is not set here`, advice: 'The proxy needs it.' }];
}
