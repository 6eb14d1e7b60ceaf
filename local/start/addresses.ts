/**
 * Decides where everything listens, before anything is started.
 *
 * Invariant: a port that the user chose is used or refused, with the name of its variable; it is never replaced.
 */
import { ConfigurationError } from '../../shared/config/environment.ts';
import type { LocalConfiguration } from '../configuration.ts';
import type { PortName, StateFile } from '../data/state.ts';
import { freePortLike, isPortFree } from '../servers/ports.ts';

const demoPortByDefault = 8082;

export interface Addresses {
  host: string;
  proxyPort: number;
  adminPort: number;
  demoPort: number;
  proxyUrl: string;
  adminUrl: string;
  demoUrl: string;
}

/** Throws ConfigurationError with the known problems, then every port that cannot be used. */
export async function chooseAddresses(
  configuration: LocalConfiguration,
  state: StateFile,
  known: readonly string[] = [],
): Promise<Addresses> {
  const { host } = configuration;
  const problems = [...known, ...(await findPortProblems(configuration, known))];
  if (problems.length > 0) throw new ConfigurationError(problems);
  const proxyPort = configuration.proxyPort || (await freePortLike(undefined, host));
  const adminPort = configuration.adminPort || (await freePortLike(undefined, host));
  const demoPort = await chooseDemoPort(state, configuration.demoPort);
  return {
    host,
    proxyPort,
    adminPort,
    demoPort,
    proxyUrl: `http://${reachable(host)}:${proxyPort}`,
    adminUrl: `http://${reachable(host)}:${adminPort}`,
    demoUrl: `http://127.0.0.1:${demoPort}/v1`,
  };
}

/** Undefined: the one of the last start, or the default. As for the other programs, 0 is any that is free. */
async function chooseDemoPort(state: StateFile, chosen: number | undefined): Promise<number> {
  if (chosen === undefined) return rememberedPort(state, 'demo', demoPortByDefault);
  return chosen || freePortLike(undefined);
}

/** The port of the last start, so that addresses stay the same; another port if that one is taken. */
export async function rememberedPort(state: StateFile, name: PortName, preferred?: number): Promise<number> {
  const port = await freePortLike(state.port(name) ?? preferred);
  state.rememberPort(name, port);
  return port;
}

interface ChosenPort {
  readonly variable: string;
  readonly port: number;
  readonly host: string;
}

async function findPortProblems(configuration: LocalConfiguration, known: readonly string[]): Promise<string[]> {
  const isMalformed = (variable: string) => known.some((problem) => problem.startsWith(`${variable} `));
  const chosen = chosenPorts(configuration).filter(({ port, variable }) => port !== 0 && !isMalformed(variable));
  const problems: string[] = [];
  for (const [index, choice] of chosen.entries()) {
    const { variable, port } = choice;
    const twin = chosen.slice(0, index).find((other) => other.port === port);
    const problem =
      twin === undefined ? await findProblem(choice) : `${variable} and ${twin.variable} are both ${port}`;
    if (problem !== undefined) problems.push(problem);
  }
  return [...new Set(problems)];
}

function chosenPorts({ host, databaseUrl, redisUrl, ...ports }: LocalConfiguration): ChosenPort[] {
  const embedded = '127.0.0.1';
  return [
    { variable: 'PROXY_PORT', port: ports.proxyPort, host },
    { variable: 'ADMIN_PORT', port: ports.adminPort, host },
    { variable: 'DEMO_PORT', port: ports.demoPort ?? 0, host: embedded },
    { variable: 'POSTGRES_PORT', port: (databaseUrl === undefined && ports.postgresPort) || 0, host: embedded },
    { variable: 'REDIS_PORT', port: (redisUrl === undefined && ports.redisPort) || 0, host: embedded },
  ];
}

async function findProblem({ variable, port, host }: ChosenPort): Promise<string | undefined> {
  try {
    if (await isPortFree(port, host)) return undefined;
    return `Port ${port} on ${host} is taken or not allowed. Choose another one: ${variable}=… npm start`;
  } catch (error) {
    return `HOST must be an address of this machine, not "${host}" (${String(error)})`;
  }
}

/** An address that a program on this machine can connect to. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
