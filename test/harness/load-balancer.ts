/**
 * Debian's HAProxy with the configuration of `deploy/`, on free ports. Where it is not installed, `haproxyPath` is null,
 * and the tests that need it are skipped and say how to install it.
 */
import { join } from 'node:path';
import { startChild } from '../../local/processes/child.ts';
import { waitUntilReady } from '../../local/processes/ready.ts';
import { freePort } from '../../local/servers/ports.ts';
import type { Program } from './programs.ts';

/** Debian has it where a user's PATH does not lead. */
export const haproxyPath = Bun.which('haproxy', { PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` });
if (haproxyPath === null) {
  console.info('skipped what needs a load balancer: no HAProxy found. Run `apt-get install haproxy`.');
}

export const haproxyFile = join(import.meta.dir, '../../deploy/haproxy/haproxy.cfg');
const readyTimeoutMs = 120_000;
const stop = { signal: 'SIGUSR1', graceMs: 2_000 } as const;

export interface LoadBalancer {
  /** Without TLS. */
  readonly url: string;
  /** Only with `certificate`. */
  readonly secureUrl: string;
  readonly logFile: string;
  /** The servers of a backend that are in rotation. */
  readyServers(backend: 'proxies' | 'admins'): Promise<readonly string[]>;
  stop(): Promise<void>;
}

export interface LoadBalancerOptions {
  readonly directory: string;
  readonly proxies: readonly Pick<Program, 'url'>[];
  readonly admins: readonly Pick<Program, 'url'>[];
  /** A PEM file. */
  readonly certificate?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

export async function startLoadBalancer(options: LoadBalancerOptions): Promise<LoadBalancer> {
  const { directory, proxies, admins, certificate, environment } = options;
  const [port, securePort, metricsPort] = [await freePort(), await freePort(), await freePort()];
  const child = startChild({
    name: 'haproxy',
    command: [haproxyPath ?? 'haproxy', '-db', '-f', haproxyFile],
    directory,
    environment: {
      LB_HTTP_ADDRESS: `127.0.0.1:${port}`,
      LB_HTTPS_ADDRESS: `127.0.0.1:${securePort}`,
      LB_METRICS_ADDRESS: `127.0.0.1:${metricsPort}`,
      LB_CONNECTIONS_MAX: '2000',
      ...(certificate !== undefined && { LB_CERTIFICATE: certificate }),
      ...addressesOf('PROXY', proxies),
      ...addressesOf('ADMIN', admins),
      ...environment,
    },
    logFile: join(directory, `haproxy-${port}.log`),
  });
  const readMetrics = () => fetch(`http://127.0.0.1:${metricsPort}/metrics`);
  const isReady = async () => (await readMetrics().catch(() => undefined))?.ok === true;
  await waitUntilReady(child, { isReady, timeoutMs: readyTimeoutMs, stop });
  return {
    url: `http://127.0.0.1:${port}`,
    secureUrl: `https://localhost:${securePort}`,
    logFile: child.logFile,
    readyServers: async (backend) => {
      const up = /^haproxy_server_status\{proxy="(\w+)",server="([\w-]+)",state="UP"\} 1$/gm;
      const found = [...(await (await readMetrics()).text()).matchAll(up)];
      return found.filter(([, name]) => name === backend).map(([, , server = '']) => server);
    },
    stop: () => child.stop(stop),
  };
}

/** `PROXY_1`, `PROXY_2` and so on. */
function addressesOf(name: string, programs: readonly Pick<Program, 'url'>[]): Record<string, string> {
  return Object.fromEntries(programs.map(({ url }, index) => [`${name}_${index + 1}`, new URL(url).host]));
}
