/** Postgres for `gateway doctor`: the server, the schema, the current catalogue, and whether it agrees with Redis. */
import type { Sql } from 'postgres';
import { keyVariablesOf } from '../../../../../shared/catalogue/published-catalogue.ts';
import { ConfigurationError } from '../../../../../shared/config/environment.ts';
import { type ListedKeys, refuseKeyName } from '../../../../../shared/config/provider-keys.ts';
import { counted } from '../../../../../shared/counted.ts';
import type { CatalogueFile } from '../../../../catalogue/catalogue-file.ts';
import { readNewestCatalogue } from '../../../../catalogue/newest-catalogue.ts';
import { isVariableGiven, loadCommandConfig } from '../../../../config/admin.ts';
import { connectDatabase, type Database } from '../../../../database/connect.ts';
import { readSchemaState } from '../../../../database/migrate.ts';
import { describeFailure } from '../../../describe-failure.ts';
import { withRedis } from '../../../with-redis.ts';
import { checkArchive } from './check-archive.ts';
import { checkClock } from './check-clock.ts';
import { checkDisk } from './check-disk.ts';
import { checkDeployments, checkEpochs, checkPeppers } from './check-running.ts';
import type { Finding } from './finding.ts';

const majorVersionMin = 15;

const proxyCounts = "What counts is the proxy's environment: ignore this if the proxies were started with it.";

const renameAdvice =
  'Use a variable whose name ends in _API_KEY, or list it in PROVIDER_KEYS of proxy, admin and the command line.';

export async function checkPostgres(): Promise<Finding[]> {
  let database: Database | undefined;
  try {
    const { databaseUrl, listedKeys } = loadCommandConfig(['databaseUrl', 'listedKeys']);
    database = connectDatabase(databaseUrl, { connections: 1 });
    const reached = [...(await checkServer(database.sql, new URL(databaseUrl).hostname))];
    const { missing } = await readSchemaState(database.sql);
    if (missing.length > 0) {
      const detail = `missing ${missing.join(', ')}`;
      return [...reached, { check: 'schema', status: 'fail', detail, advice: 'Run `bun run gateway migrate`.' }];
    }
    const upToDate: Finding = { check: 'schema', status: 'ok', detail: 'up to date' };
    const stored = [...(await checkCatalogue(database, listedKeys)), ...(await checkStores(database))];
    return [...reached, upToDate, ...stored, ...(await checkArchive(database.sql))];
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

interface ServerRow {
  readonly version: string;
  readonly number: number;
  readonly now_ms: number;
  readonly folder: string | null;
  readonly archives: boolean;
  readonly unarchived: boolean;
}

/** Only a superuser may know the folder. */
async function checkServer(sql: Sql, host: string): Promise<Finding[]> {
  const check = 'postgres';
  const read = async () => {
    const [row] = await sql<ServerRow[]>`
      SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number,
        extract(epoch FROM clock_timestamp())::float8 * 1000 AS now_ms, current_setting('archive_mode') <> 'off' AS archives,
        CASE WHEN pg_has_role('pg_read_all_settings', 'USAGE') THEN current_setting('data_directory') END AS folder,
        coalesce((SELECT last_failed_time > coalesce(last_archived_time, '-infinity') FROM pg_stat_archiver), false)
          AS unarchived`;
    if (row === undefined) throw new Error('Postgres does not report its version');
    return row;
  };
  const { version, number, folder, archives, unarchived } = await read();
  const tooOld: Finding = {
    ...{ check, status: 'fail', detail: `version ${version}; the oldest supported version is ${majorVersionMin}` },
    advice: 'Upgrade Postgres.',
  };
  const findings: Finding[] = [
    number < majorVersionMin * 10_000 ? tooOld : { check, status: 'ok', detail: `version ${version}` },
    await checkClock(check, async () => (await read()).now_ms),
    ...(folder === null ? [] : checkDisk(check, { host, folder })),
  ];
  if (archives) {
    const advice = 'See its log: until archive_command succeeds, backups cannot be restored to the present.';
    findings.push(
      unarchived
        ? { check, status: 'fail', detail: 'the write-ahead log cannot be archived', advice }
        : { check, status: 'ok', detail: 'the write-ahead log is archived' },
    );
  }
  return findings;
}

/** What needs the pepper, or Redis as well; their own checks report what is wrong with those. */
async function checkStores(database: Database): Promise<Finding[]> {
  const findings: Finding[] = [];
  try {
    findings.push(...(await checkPeppers(database, loadCommandConfig(['keyPeppers']).keyPeppers)));
    await withRedis(async (redis) => {
      findings.push(await checkEpochs(database, redis), ...(await checkDeployments(redis)));
    });
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
  }
  return findings;
}

async function checkCatalogue({ db }: Database, listedKeys: ListedKeys): Promise<Finding[]> {
  const newest = await readNewestCatalogue(db);
  if (newest === undefined) {
    const advice = 'Run `bun run gateway catalogue apply FILE`.';
    return [{ check: 'catalogue', status: 'fail', detail: 'none applied', advice }];
  }
  const { models, providers } = newest.file;
  const detail = `version ${newest.version}, ${counted(models.length, 'model')}`;
  const deployed = new Set(models.flatMap(({ deployments }) => deployments.map(({ provider }) => provider)));
  const used = providers.filter(({ id }) => deployed.has(id));
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
    return isVariableGiven(variable)
      ? { check, status: 'ok', detail: `${variable} is set here` }
      : { check, status: 'warn', detail: `${variable} is not set here`, advice: proxyCounts };
  });
}
