/**
 * Debian's Prometheus and Alertmanager with faster copies of the configuration in `deploy/`. Where one is not installed,
 * `whyNoMonitoring` says so, and the tests that need them are skipped.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Child, startChild } from '../../../../local/processes/child.ts';
import { waitUntilReady } from '../../../../local/processes/ready.ts';
import { freePort } from '../../../../local/servers/ports.ts';
import { waitFor } from '../../../harness/account-view.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { alertmanagerConfig, prometheusConfig, readRules, shortenRules } from './shorten.ts';

const prometheusPath = Bun.which('prometheus');
const alertmanagerPath = Bun.which('prometheus-alertmanager') ?? Bun.which('alertmanager');
const readyTimeoutMs = 120_000;
const askTimeoutMs = 5_000;
const lookEveryMs = 200;
const pointsOfRange = 2_000;
const stop = { signal: 'SIGTERM', graceMs: 5_000 } as const;

export const whyNoMonitoring =
  prometheusPath === null || alertmanagerPath === null
    ? 'no Prometheus with its Alertmanager. Run `apt-get install prometheus prometheus-alertmanager`'
    : undefined;

/** A time in which an alert was firing; `untilMs` is undefined while it is. */
export interface Firing {
  readonly alert: string;
  readonly fromMs: number;
  untilMs: number | undefined;
}

export interface Monitoring {
  readonly receiver: Receiver;
  /** Everything that fired, according to Prometheus. */
  readonly firings: readonly Firing[];
  /** Names of alerts that are firing now. */
  firingNow(): readonly string[];
  /** Whether an expression has had a value at any time since then. */
  hasData(expression: string, sinceMs: number): Promise<boolean>;
  stop(): Promise<void>;
}

export interface MonitoringOptions {
  readonly directory: string;
  /** By how much faster time passes. */
  readonly factor: number;
  readonly metricsToken: string;
  /** `host:port` of each replica, by the job's name. */
  readonly targets: Readonly<Record<string, readonly string[]>>;
}

export async function startMonitoring(options: MonitoringOptions): Promise<Monitoring> {
  const receiver = startReceiver();
  const children: Child[] = [];
  const stopAll = async () => {
    await Promise.all(children.map((child) => child.stop(stop)));
    await receiver.stop();
  };
  try {
    const alertmanager = await startAlertmanager(options, receiver.url, children);
    const prometheus = await startPrometheus(options, alertmanager, children);
    await waitUntilScraped(prometheus, options);
    const watch = watchFirings(prometheus);
    return {
      receiver,
      firings: watch.firings,
      hasData: (expression, sinceMs) => hasData(prometheus, expression, sinceMs),
      firingNow: () => watch.firings.filter(({ untilMs }) => untilMs === undefined).map(({ alert }) => alert),
      stop: async () => {
        await watch.stop();
        await stopAll();
      },
    };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

/** Resolves with its `host:port`. */
async function startAlertmanager(
  { directory, factor }: MonitoringOptions,
  webhook: string,
  children: Child[],
): Promise<string> {
  const address = `127.0.0.1:${await freePort()}`;
  const data = join(directory, 'alertmanager');
  await mkdir(data);
  const file = join(data, 'alertmanager.json');
  await Bun.write(file, JSON.stringify(await alertmanagerConfig(factor, webhook)));
  await startServer('alertmanager', address, children, {
    directory: data,
    command: [
      alertmanagerPath ?? '',
      `--config.file=${file}`,
      `--storage.path=${data}`,
      `--web.listen-address=${address}`,
      // A single Alertmanager, which looks for no peers.
      '--cluster.listen-address=',
    ],
  });
  return address;
}

async function startPrometheus(
  { directory, factor, metricsToken, targets }: MonitoringOptions,
  alertmanager: string,
  children: Child[],
): Promise<string> {
  const address = `127.0.0.1:${await freePort()}`;
  const data = join(directory, 'prometheus');
  await mkdir(data);
  const [file, rulesFile, tokenFile] = ['prometheus.json', 'rules.json', 'token'].map((name) => join(data, name)) as [
    string,
    string,
    string,
  ];
  await Bun.write(tokenFile, metricsToken);
  await Bun.write(rulesFile, JSON.stringify(shortenRules(await readRules(), factor)));
  await Bun.write(
    file,
    JSON.stringify(await prometheusConfig(factor, { rulesFile, tokenFile, alertmanager, targets })),
  );
  await startServer('prometheus', address, children, {
    directory: data,
    command: [
      prometheusPath ?? '',
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(data, 'series')}`,
      `--web.listen-address=${address}`,
      // A minute in production.
      `--rules.alert.resend-delay=${Math.round(60_000 / factor)}ms`,
    ],
  });
  return address;
}

async function startServer(
  name: string,
  address: string,
  children: Child[],
  { directory, command }: { readonly directory: string; readonly command: string[] },
): Promise<void> {
  const child = startChild({
    ...{ name, command, directory },
    environment: { PATH: process.env.PATH ?? '' },
    logFile: join(directory, `${name}.log`),
  });
  children.push(child);
  const isReady = async () => (await fetch(`http://${address}/-/ready`).catch(() => undefined))?.ok === true;
  await waitUntilReady(child, { isReady, timeoutMs: readyTimeoutMs, stop });
}

/** Every replica, so that none seems to be away. */
async function waitUntilScraped(prometheus: string, { targets }: MonitoringOptions): Promise<void> {
  const wanted = Object.values(targets).flat().length;
  await waitFor('the first scrapes', readyTimeoutMs, async () => {
    const response = await fetch(`http://${prometheus}/api/v1/targets`, { signal: AbortSignal.timeout(askTimeoutMs) });
    const { data } = (await response.json()) as {
      data: { activeTargets: readonly { readonly health: string }[] };
    };
    return data.activeTargets.filter(({ health }) => health === 'up').length === wanted;
  });
}

async function hasData(prometheus: string, expression: string, sinceMs: number): Promise<boolean> {
  const [start, end] = [sinceMs / 1_000, Date.now() / 1_000];
  const parameters = { query: expression, start: `${start}`, end: `${end}`, step: `${(end - start) / pointsOfRange}` };
  const response = await fetch(`http://${prometheus}/api/v1/query_range`, {
    method: 'POST',
    body: new URLSearchParams(parameters),
    signal: AbortSignal.timeout(askTimeoutMs),
  });
  if (!response.ok) throw new Error(`${expression}: ${await response.text()}`);
  const { data } = (await response.json()) as {
    data: { result: readonly { readonly values: readonly (readonly [number, string])[] }[] };
  };
  return data.result.some(({ values }) => values.some(([, value]) => value !== 'NaN'));
}

function watchFirings(prometheus: string) {
  const firings: Firing[] = [];
  let isStopping = false;
  const look = async () => {
    const response = await fetch(`http://${prometheus}/api/v1/alerts`, { signal: AbortSignal.timeout(askTimeoutMs) });
    const { data } = (await response.json()) as {
      data: { alerts: readonly { readonly state: string; readonly labels: { readonly alertname: string } }[] };
    };
    const active = data.alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname);
    for (const firing of firings) if (!active.includes(firing.alert)) firing.untilMs ??= Date.now();
    const known = firings.filter(({ untilMs }) => untilMs === undefined).map(({ alert }) => alert);
    for (const alert of new Set(active)) {
      if (!known.includes(alert)) firings.push({ alert, fromMs: Date.now(), untilMs: undefined });
    }
  };
  const run = async () => {
    while (!isStopping) {
      await look().catch((error) => console.error('Prometheus did not answer', error));
      await Bun.sleep(lookEveryMs);
    }
  };
  const running = run();
  return {
    firings,
    stop: async () => {
      isStopping = true;
      await running;
    },
  };
}
