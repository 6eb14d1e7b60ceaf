/**
 * Starts the whole product step by step. Read this file first.
 *
 * Invariant: each step first checks that no stop was requested, and everything that it starts is registered with
 * the supervisor immediately.
 */
import { join } from 'node:path';
import { buildIfStale } from '../../dashboard/build.ts';
import type { ProgramName } from '../../shared/config/own-variables.ts';
import type { LocalConfiguration } from '../configuration.ts';
import { isLocalFilePresent, type LocalFile, writeEnvironmentFile, writeLocalFile } from '../data/local-file.ts';
import type { StateFile } from '../data/state.ts';
import type { Child } from '../processes/child.ts';
import type { Part, Supervisor } from '../processes/supervise.ts';
import type { Addresses } from './addresses.ts';
import { ensureCatalogue } from './catalogue.ts';
import { childEnvironment } from './child-environment.ts';
import { type Customer, ensureCustomer } from './first-run.ts';
import { expectDone, type OperatorCommand, operatorCommands } from './operator-command.ts';
import { startProgram, waitForProgram } from './programs.ts';
import { chooseModel } from './ready-check.ts';
import { databaseName, providePostgres, provideRedis, type Service } from './services.ts';
import type { SummaryOptions } from './summary.ts';
import type { Terminal } from './terminal.ts';
import { together } from './together.ts';

export interface StartUpOptions {
  configuration: LocalConfiguration;
  addresses: Addresses;
  state: StateFile;
  supervisor: Supervisor;
  terminal: Terminal;
}

/** Resolves when the product is ready for its first request. */
export async function startUp(options: StartUpOptions): Promise<SummaryOptions> {
  // Takes seconds, and only admin needs it.
  const dashboard = buildIfStale();
  const [summary] = await together([startParts(options, dashboard), dashboard]);
  return summary;
}

async function startParts(options: StartUpOptions, dashboard: Promise<boolean>): Promise<SummaryOptions> {
  const { configuration, addresses, state, supervisor, terminal } = options;
  const { dataDir, shutdown } = configuration;
  const { signal } = supervisor;
  const logDir = join(dataDir, 'logs');
  const step: Terminal['step'] = (name, work, describe) => {
    signal.throwIfAborted();
    return terminal.step(name, work, describe);
  };

  const serviceOptions = {
    configuration,
    state,
    supervisor,
    logDir,
    announce: (text: string) => terminal.remark(text),
  };
  const postgres = await step('Postgres', () => providePostgres(serviceOptions), place);
  const redis = await step('Redis', () => provideRedis(serviceOptions), place);
  const environment = childEnvironment({ configuration, addresses, databaseUrl: postgres.url, redisUrl: redis.url });
  const command = operatorCommands(environment.of('admin'), signal);
  await step('Migrations', () => expectDone(command(['migrate'])));
  const start = (name: ProgramName, entry: string, layer: Part['layer']) =>
    startProgram(supervisor, { name, entry, layer, environment: environment.of(name), logDir, shutdown });
  const isUp = (child: Child, url: string) => waitForProgram(child, { url, shutdown, signal });
  await step('Demo provider', () => {
    const child = start('demo-provider', 'local/demo-provider/main.ts', 'providers');
    return isUp(child, `${addresses.demoUrl}/models`);
  });
  await step('Catalogue', () => applyCatalogue(options, command), String);
  const customer = await step('Accounts and keys', () => provideCustomer(options, command));
  await step(
    'Dashboard',
    () => dashboard,
    (isBuilt) => (isBuilt ? 'built' : 'up to date'),
  );
  // Together: both need a moment to start, and the proxy needs what admin publishes.
  const admin = start('admin', 'admin/main.ts', 'programs');
  const proxy = start('proxy', 'proxy/main.ts', 'programs');
  await step(
    'Admin',
    () => isUp(admin, `${addresses.adminUrl}/readyz`),
    () => addresses.adminUrl,
  );
  await step(
    'Proxy',
    () => isUp(proxy, `${addresses.proxyUrl}/readyz`),
    () => addresses.proxyUrl,
  );
  const model = await step('First request', () => chooseModel(addresses.proxyUrl, customer.proxyKey, signal));

  const local = describe(addresses, customer, { databaseUrl: postgres.url, redisUrl: redis.url });
  writeEnvironmentFile(join(dataDir, 'gateway.env'), environment.own);
  writeLocalFile(localFilePath(dataDir), local);
  state.record(databaseName(configuration), { isComplete: true });
  const mailFolder = configuration.sendsMails ? undefined : join(dataDir, 'mail');
  return { local, model, dataDir, mailFolder };
}

async function applyCatalogue({ configuration, addresses, state }: StartUpOptions, command: OperatorCommand) {
  const database = databaseName(configuration);
  const { demoUrl } = addresses;
  const { dataDir, cataloguePath } = configuration;
  const appliedDemoUrl = state.progress(database).demoUrl;
  const done = await ensureCatalogue({ command, dataDir, cataloguePath, demoUrl, appliedDemoUrl });
  if (done.demoUrl !== appliedDemoUrl) state.record(database, { demoUrl: done.demoUrl });
  return done.text;
}

async function provideCustomer({ configuration, state }: StartUpOptions, command: OperatorCommand): Promise<Customer> {
  const database = databaseName(configuration);
  const isDeleted = state.progress(database).isComplete && !isLocalFilePresent(localFilePath(configuration.dataDir));
  if (isDeleted) state.forgetKeys(database);
  return ensureCustomer({ command, state, database });
}

function describe(
  { proxyUrl, adminUrl }: Addresses,
  { demo, operator, proxyKey, billingKey }: Customer,
  services: { databaseUrl: string; redisUrl: string },
): LocalFile {
  return {
    proxyUrl,
    adminUrl,
    docsUrl: `${adminUrl}/api/docs`,
    ...services,
    demo: { email: demo.email, password: demo.password, proxyKey, billingKey },
    operator: { email: operator.email, password: operator.password },
  };
}

function localFilePath(dataDir: string): string {
  return join(dataDir, 'local.json');
}

function place(service: Service): string {
  return service.place;
}
