/** `gateway doctor`: checks everything that the gateway depends on, and gives advice for each problem. */

import { keyVariablesOf } from '../../../../shared/catalogue/published-catalogue.ts';
import { isVariableSet, loadAdminConfig, loadCommandConfig } from '../../../../shared/config/admin.ts';
import { ConfigurationError } from '../../../../shared/config/environment.ts';
import { type ListedKeys, refuseKeyName } from '../../../../shared/config/provider-keys.ts';
import type { RedisAddress } from '../../../../shared/redis/address.ts';
import { checkServers, type ServerReport } from '../../../../shared/redis/check-servers.ts';
import { connectRedis, type RedisClient, whenReady } from '../../../../shared/redis/connect.ts';
import type { CatalogueFile } from '../../../catalogue/catalogue-file.ts';
import { readNewestCatalogue } from '../../../catalogue/newest-catalogue.ts';
import { connectDatabase, type Database } from '../../../database/connect.ts';
import { readSchemaState } from '../../../database/migrate.ts';
import { readSeller } from '../../../documents/seller/read-seller.ts';
import { forwardedAdvice, wereRequestsForwarded } from '../../../http/request/forwarded-requests.ts';
import { command } from '../../command.ts';
import { describeFailure } from '../../describe-failure.ts';
import { countOf } from '../../list.ts';
import { checkPayments } from './check-payments.ts';
import type { Finding } from './finding.ts';

const marks: Record<Finding['status'], string> = { ok: '✓', warn: '!', fail: '✗' };

export const doctor = command({
  description: 'Check configuration, Postgres, Redis, the catalogue and payment providers',
  args: {},
  run: async () => {
    const found = await Promise.all([checkConfiguration(), checkPostgres(), checkRedis(), checkPayments()]);
    const checks = found.flat();
    const failed = checks.some(({ status }) => status === 'fail');
    const text = checks.map(renderFinding).join('\n');
    return { text, object: { ok: !failed, checks }, failed };
  },
});

function renderFinding({ check, status, detail, advice }: Finding): string {
  const line = `${marks[status]} ${check}: ${detail}`;
  return advice === undefined || status === 'ok' ? line : `${line}\n    ${advice}`;
}

/** Is the configuration one that admin would start with? */
function checkConfiguration(): Finding[] {
  try {
    const { sellerFile } = loadAdminConfig().payments;
    if (sellerFile !== undefined) readSeller(sellerFile);
    return [{ check: 'configuration', status: 'ok', detail: 'complete' }];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.problems.map((problem) => ({
      check: 'configuration',
      status: 'fail',
      detail: problem,
      advice: 'Correct the variable or its file; docs/configuration.md lists all of them.',
    }));
  }
}

const proxyCounts = "What counts is the proxy's environment: ignore this if the proxies were started with it.";

const renameAdvice =
  'Use a variable whose name ends in _API_KEY, or list it in PROVIDER_KEYS of proxy, admin and the command line.';

async function checkPostgres(): Promise<Finding[]> {
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

const connectTimeoutMs = 2_000;

async function checkRedis(): Promise<Finding[]> {
  try {
    const { redisAddress } = loadCommandConfig(['redisAddress']);
    return redisAddress === undefined ? [] : await checkMasters(redisAddress);
  } catch (error) {
    // The configuration check reports what is wrong with the variable.
    if (error instanceof ConfigurationError) return [];
    throw error;
  }
}

async function checkMasters(address: RedisAddress): Promise<Finding[]> {
  const redis = connectRedis(address, () => {});
  try {
    await whenReady(redis, connectTimeoutMs);
    return [...(await checkServers(redis)).flatMap(findingsOf), ...(await checkAddresses(redis))];
  } catch (error) {
    const detail = describeFailure(error).message;
    return [
      { check: 'redis', status: 'fail', detail, advice: 'Check that it is running and that REDIS_URL is correct.' },
    ];
  } finally {
    redis.disconnect();
  }
}

/** Whether admin sees its clients' own addresses. */
async function checkAddresses(redis: RedisClient): Promise<Finding[]> {
  if (!(await wereRequestsForwarded(redis))) return [];
  const detail = 'requests with X-Forwarded-For arrived in the last day, but TRUSTED_PROXY_HOPS is 0';
  return [{ check: 'addresses', status: 'warn', detail, advice: forwardedAdvice }];
}

function findingsOf({ server, version, problems, appendOnly }: ServerReport): Finding[] {
  const check = `redis ${server}`;
  const reached: Finding = { check, status: 'ok', detail: `version ${version}` };
  const wrong = problems.map((detail): Finding => ({ check, status: 'fail', detail, advice: 'Fix it on the server.' }));
  const memory: Finding = appendOnly
    ? { check, status: 'ok', detail: 'append-only file is on' }
    : {
        check,
        status: 'warn',
        detail: 'append-only file is off: a restart loses what is not in Postgres yet',
        advice: 'Set appendonly to yes.',
      };
  return wrong.length > 0 ? [...wrong, memory] : [reached, { check, status: 'ok', detail: 'evicts nothing' }, memory];
}
