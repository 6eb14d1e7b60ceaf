/**
 * Decides where everything listens, before anything is started.
 *
 * Invariant: a port that the user chose is used or refused, with the name of its variable; it is never replaced.
 */
import type { LocalConfiguration } from '../shared/config/local.ts';
import { freePortLike, isPortFree } from './ports.ts';
import type { PortName, StateFile } from './state.ts';

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

export class PortTakenError extends Error {
  override readonly name = 'PortTakenError';
}

export async function chooseAddresses(configuration: LocalConfiguration, state: StateFile): Promise<Addresses> {
  const { host } = configuration;
  await refuseTakenPorts(configuration);
  const proxyPort = configuration.proxyPort || (await freePortLike(undefined, host));
  const adminPort = configuration.adminPort || (await freePortLike(undefined, host));
  const demoPort = configuration.demoPort || (await rememberedPort(state, 'demo', demoPortByDefault));
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

/** The port of the last start, so that addresses stay the same; another one if it is taken now. */
export async function rememberedPort(state: StateFile, name: PortName, preferred?: number): Promise<number> {
  const port = await freePortLike(state.port(name) ?? preferred);
  state.rememberPort(name, port);
  return port;
}

async function refuseTakenPorts(configuration: LocalConfiguration): Promise<void> {
  const chosen = [
    { variable: 'PROXY_PORT', port: configuration.proxyPort, host: configuration.host },
    { variable: 'ADMIN_PORT', port: configuration.adminPort, host: configuration.host },
    { variable: 'DEMO_PORT', port: configuration.demoPort ?? 0, host: '127.0.0.1' },
  ].filter(({ port }) => port !== 0);
  const problems: string[] = [];
  for (const [index, { variable, port, host }] of chosen.entries()) {
    const twin = chosen.slice(0, index).find((other) => other.port === port);
    if (twin !== undefined) problems.push(`${variable} and ${twin.variable} are both ${port}.`);
    else if (!(await isPortFree(port, host))) {
      problems.push(`Port ${port} on ${host} is taken or not allowed. Choose another one with ${variable}=… npm start`);
    }
  }
  if (problems.length > 0) throw new PortTakenError(problems.join('\n'));
}

/** An address that a program on this machine can connect to. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
