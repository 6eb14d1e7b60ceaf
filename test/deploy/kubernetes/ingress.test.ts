/** The configuration that HAProxy's controller writes for the Ingress, in a real HAProxy in front of the real proxy. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { type Child, startChild } from '../../../local/processes/child.ts';
import { waitUntilReady } from '../../../local/processes/ready.ts';
import { freePort } from '../../../local/servers/ports.ts';
import { waitFor } from '../../harness/account-view.ts';
import { type Gateway, startGateway } from '../../harness/gateway.ts';
import { haproxyFile, haproxyPath } from '../../harness/load-balancer.ts';
import { canRender, renderOverlay } from './rendered.ts';

const readyTimeoutMs = 120_000;
const stopping = { signal: 'SIGUSR1', graceMs: 2_000 } as const;
const prefix = 'haproxy.org/';

/** Those of the Ingress, without their prefix. */
async function readAnnotations(): Promise<(name: string) => string> {
  const ingress = (await renderOverlay('one-machine')).find(({ kind }) => kind === 'Ingress');
  return (name) => {
    const value = ingress?.metadata.annotations?.[`${prefix}${name}`];
    if (value === undefined) throw new Error(`the Ingress has no ${name}`);
    return value;
  };
}

test.skipIf(!canRender)(
  "every line of the Ingress's snippet is also in haproxy.cfg, which has tests of its own",
  async () => {
    const lines = (await readAnnotations())('backend-config-snippet').trim().split('\n');
    const known = new Set((await Bun.file(haproxyFile).text()).split('\n').map((line) => line.trim()));
    expect(lines.length).toBeGreaterThan(8);
    expect(lines.filter((line) => !known.has(line))).toEqual([]);
  },
);

describe.skipIf(!canRender || haproxyPath === null)("HAProxy's controller", () => {
  let gateway: Gateway;
  let haproxy: Child;
  let url: string;
  let metricsUrl: string;

  beforeAll(async () => {
    gateway = await startGateway();
    const { directory } = gateway.harness;
    const [port, metricsPort, annotation] = [await freePort(), await freePort(), await readAnnotations()];
    const backend = (name: string, program: { url: string }) => [
      `backend ${name}`,
      `  balance ${annotation('load-balance')}`,
      `  option httpchk ${annotation('check-http')}`,
      `  timeout server ${annotation('timeout-server')}`,
      ...annotation('backend-config-snippet')
        .trim()
        .split('\n')
        .map((line) => `  ${line}`),
      `  server SRV_1 ${new URL(program.url).host} check inter ${annotation('check-interval')}`,
    ];
    const text = [
      'defaults',
      '  mode http',
      '  timeout connect 2s',
      '  timeout client 1h',
      'frontend http',
      `  bind 127.0.0.1:${port}`,
      '  use_backend proxy if { path_beg /v1 }',
      '  default_backend admin',
      'frontend metrics',
      `  bind 127.0.0.1:${metricsPort}`,
      '  http-request use-service prometheus-exporter',
      ...backend('proxy', gateway.proxy),
      ...backend('admin', gateway.admin),
    ];
    const file = join(directory, 'controller.cfg');
    await Bun.write(file, `${text.join('\n')}\n`);
    url = `http://127.0.0.1:${port}`;
    metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`;
    haproxy = startChild({
      name: 'haproxy',
      command: [haproxyPath ?? '', '-db', '-f', file],
      directory,
      environment: {},
      logFile: join(directory, 'controller.log'),
    });
    const isReady = async () => (await fetch(metricsUrl).catch(() => undefined))?.ok === true;
    await waitUntilReady(haproxy, { isReady, timeoutMs: readyTimeoutMs, stop: stopping });
  });

  afterAll(async () => {
    await haproxy?.stop(stopping);
    await gateway?.stop();
  });

  test('reaches the programs, which pass its health checks', async () => {
    // Without a check, a server counts as running.
    await waitFor('the checks', readyTimeoutMs, async () => {
      const passed = /^haproxy_server_check_status\{proxy="\w+",server="SRV_1",state="L7OK"\} 1$/gm;
      return (await (await fetch(metricsUrl)).text()).match(passed)?.length === 2;
    });
    expect((await fetch(`${url}/v1/models`)).status).toBe(200);
    expect((await fetch(`${url}/api/site`)).status).toBe(200);
  });

  test.each(['/metrics', '/readyz', '/healthz', '//metrics', '/%6Detrics', '/METRICS'])(
    'does not expose %s',
    async (path) => {
      const response = await fetch(`${url}${path}`);
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ error: { code: 'not_found' } });
    },
  );
});
