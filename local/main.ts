/**
 * `npm start`: runs the whole product on this machine, with embedded servers, until Ctrl-C.
 *
 * Exit code 0 when it was asked to stop, 1 when something went wrong.
 */
import { join } from 'node:path';
import { ConfigurationError } from '../shared/config/environment.ts';
import { type LocalConfiguration, type ReadConfiguration, readLocalConfiguration } from './configuration.ts';
import { lockDataDirectory } from './data/lock.ts';
import { makePrivateDirectory } from './data/private-file.ts';
import { StateFile } from './data/state.ts';
import { endRecorded } from './processes/record.ts';
import { type Ending, Supervisor } from './processes/supervise.ts';
import { type Addresses, chooseAddresses } from './start/addresses.ts';
import { findCatalogueProblems } from './start/catalogue.ts';
import { findSellerProblems } from './start/seller.ts';
import { startUp } from './start/start-up.ts';
import { printSummary } from './start/summary.ts';
import { duration, Terminal } from './start/terminal.ts';

const parentCheckMs = 1_000;

process.exit(await main());

async function main(): Promise<number> {
  const read = readLocalConfiguration();
  const { configuration } = read;
  const { dataDir } = configuration;
  const isTerminal = process.stdout.isTTY === true;
  const terminal = new Terminal({ isTerminal, hasColours: configuration.hasColours });
  terminal.line(`\n${terminal.bold('Model gateway')}\n`);
  try {
    makeDataDirectory(read);
    const lock = lockDataDirectory(dataDir);
    if (!lock.ok) {
      throw new Error(`Another npm start (process ${lock.heldBy}) is using ${dataDir}. Stop it, or set DATA_DIR.`);
    }
    try {
      return await runLocked(read, terminal);
    } finally {
      lock.release();
    }
  } catch (error) {
    terminal.line(`\n${terminal.red(messageOf(error))}`);
    return 1;
  }
}

/** Throws ConfigurationError. */
function makeDataDirectory({ configuration, problems }: ReadConfiguration): void {
  const { dataDir } = configuration;
  try {
    makePrivateDirectory(join(dataDir, 'logs'));
    makePrivateDirectory(dataDir);
  } catch (error) {
    throw new ConfigurationError([...problems, `DATA_DIR must be a folder that you own: ${messageOf(error)}`]);
  }
}

async function runLocked({ configuration, problems }: ReadConfiguration, terminal: Terminal): Promise<number> {
  const recordFile = join(configuration.dataDir, 'processes.json');
  const state = new StateFile(join(configuration.dataDir, 'state.json'));
  const check = async (): Promise<Addresses> => {
    const left = await endRecorded(recordFile);
    if (left.length > 0) terminal.remark(`ended processes left over from a killed start: ${left.join(', ')}`);
    // Reports all mistakes together, before anything is started.
    const inFiles = [...findSellerProblems(configuration), ...(await findCatalogueProblems(configuration, state))];
    return chooseAddresses(configuration, state, [...problems, ...inFiles]);
  };
  const addresses = await terminal.step('Configuration', check, () => configuration.dataDir);
  const supervisor = new Supervisor(recordFile);
  listenForTheEnd(supervisor, configuration);
  return run({ configuration, addresses, state, supervisor, terminal });
}

async function run(options: Parameters<typeof startUp>[0]): Promise<number> {
  const { supervisor, terminal } = options;
  const startedAt = performance.now();
  let exitCode: number;
  try {
    const summary = await startUp(options);
    terminal.line(`\n  ${terminal.bold('Ready')} after ${duration(performance.now() - startedAt)}.`);
    printSummary(terminal, summary);
    exitCode = announce(await supervisor.ending, terminal);
  } catch (error) {
    exitCode = await announceFailure(error, supervisor, terminal);
  }
  const stoppingAt = performance.now();
  await supervisor.stop();
  terminal.line(`Everything has stopped (${duration(performance.now() - stoppingAt)}).`);
  return exitCode;
}

/** A step that was aborted because of a stop request or because a part died is not the reason. */
async function announceFailure(error: unknown, supervisor: Supervisor, terminal: Terminal): Promise<number> {
  if (supervisor.signal.aborted) {
    const ending = await supervisor.ending;
    const gaveUp = error instanceof Error && error.name === 'AbortError';
    if (gaveUp || ending.kind === 'requested') return announce(ending, terminal);
  }
  terminal.line(`\n${terminal.red(messageOf(error))}`);
  return 1;
}

function announce(ending: Ending, terminal: Terminal): number {
  if (ending.kind === 'requested') {
    terminal.line(`\nStopping (${ending.by}) …`);
    return 0;
  }
  terminal.line(`\n${terminal.red(`${ending.name} died (${ending.how})`)}. Its last lines:\n${ending.lastLines}`);
  return 1;
}

/** Ctrl-C arrives twice, from the terminal and from npm: only the first one counts. */
function listenForTheEnd(supervisor: Supervisor, { endsWithParent }: LocalConfiguration): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => supervisor.requestStop(signal));
  if (!endsWithParent) return;
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) supervisor.requestStop('npm is gone');
  }, parentCheckMs).unref();
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
