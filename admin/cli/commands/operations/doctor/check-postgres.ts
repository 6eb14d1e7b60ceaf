/** Can Postgres be reached, is its schema the one of this release, and is there a catalogue whose providers have keys? */

import { keyVariablesOf } from '../../../../../shared/catalogue/published-catalogue.ts';
import { isVariableSet, loadCommandConfig } from '../../../../../shared/config/admin.ts';
import { ConfigurationError } from '../../../../../shared/config/environment.ts';
import { type ListedKeys, refuseKeyName } from '../../../../../shared/config/provider-keys.ts';
import type { CatalogueFile } from '../../../../catalogue/catalogue-file.ts';
import { readNewestCatalogue } from '../../../../catalogue/newest-catalogue.ts';
import { connectDatabase, type Database } from '../../../../database/connect.ts';
import { readSchemaState } from '../../../../database/schema-state.ts';
import { countOf } from '../../../count-of.ts';
import { describeFailure } from '../../../describe-failure.ts';
import type { Finding } from './check.ts';

const proxyCounts = "What counts is the proxy's environment: ignore this if the proxies were started with it.";

const renameAdvice =
  'Use a variable whose name ends in _API_KEY, or list it in PROVIDER_KEYS of proxy, admin and the command line.';

export async function checkPostgres(): Promise<Finding[]> {
  let database: Database | undefined;
  try {
    const { databaseUrl, listedKeys } = loadCommandConfig(['databaseUrl', 'listedKeys']);
    database = connectDatabase(databaseUrl, { connections: 1 });
    const [server] = await database.sql<{ version: string }[]>`SELECT current_setting('server_version') AS version`;
    const reached: Finding = { check: 'postgres', status: 'ok', detail: `version ${server?.version}` };
    const { missing } = await readSchemaState(database.sql);
    if (missing.length > 0) {
      const detail = `missing ${missing.join(', ')}`;
      return [reached, { check: 'schema', status: 'fail', detail, advice: 'Run `bun run gateway migrate`.' }];
    }
    const upToDate: Finding = { check: 'schema', status: 'ok', detail: 'up to date' };
    return [reached, upToDate, ...(await checkCatalogue(database, listedKeys))];
  } catch (error) {
    // The configuration check reports what is wrong with the variable.
    if (error instanceof ConfigurationError) return [];
    const detail = describeFailure(error).message;
    return [
      {
        check: 'postgres',
        status: 'fail',
        detail,
        advice: 'Check that it is running and that DATABASE_URL is correct.',
      },
    ];
  } finally {
    await database?.close();
  }
}

async function checkCatalogue({ db }: Database, listedKeys: ListedKeys): Promise<Finding[]> {
  const newest = await readNewestCatalogue(db);
  if (newest === undefined) {
    const advice = 'Run `bun run gateway catalogue apply FILE`.';
    return [{ check: 'catalogue', status: 'fail', detail: 'none applied', advice }];
  }
  const { models, providers } = newest.file;
  const detail = `version ${newest.version}, ${countOf(models.length, 'model')}`;
  const asked = new Set(models.flatMap(({ deployments }) => deployments.map(({ provider }) => provider)));
  const used = providers.filter(({ id }) => asked.has(id));
  const keys = used.flatMap((provider) => checkProviderKeys(provider, listedKeys));
  return [{ check: 'catalogue', status: 'ok', detail }, ...keys];
}

type Provider = CatalogueFile['providers'][number];

function checkProviderKeys(provider: Provider, listedKeys: ListedKeys): Finding[] {
  const check = `provider ${provider.id}`;
  return keyVariablesOf(provider).map(([field, variable]) => {
    const refusal = refuseKeyName(variable, listedKeys);
    if (refusal !== undefined)
      return { check, status: 'fail', detail: `${field} ${variable} ${refusal}`, advice: renameAdvice };
    return isVariableSet(variable) || isVariableSet(`${variable}_FILE`)
      ? { check, status: 'ok', detail: `${variable} is set here` }
      : { check, status: 'warn', detail: `${variable} is not set here`, advice: proxyCounts };
  });
}
