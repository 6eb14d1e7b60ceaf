/**
 * Copies of the configuration in deploy/prometheus in which time passes faster: every interval, window and `for` is
 * divided by one factor. Everything else, thresholds included, is what production has.
 */
import { join } from 'node:path';
import { parse } from 'yaml';

const source = join(import.meta.dir, '../../../../deploy/prometheus');
const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const duration = /(\d+)(ms|s|m|h|d)/;

export interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
}

export interface Rules {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
}

interface PrometheusFile {
  readonly global: Readonly<Record<string, string>>;
  readonly scrape_configs: readonly { readonly job_name: string }[];
}

interface Route {
  readonly routes?: readonly Route[];
}

interface AlertmanagerFile {
  readonly route: Route;
  readonly receivers: readonly { readonly name: string }[];
}

/** Prometheus understands fractions of a second as milliseconds only. */
export function shortenDuration(text: string, factor: number): string {
  const [, amount, unit = ''] = new RegExp(`^${duration.source}$`).exec(text) ?? [];
  const ms = unitMs[unit];
  if (amount === undefined || ms === undefined) throw new Error(`not a duration: ${text}`);
  return `${Math.max(1, Math.round((Number(amount) * ms) / factor))}ms`;
}

/** The windows of range selectors, such as `[5m]`. */
export function shortenWindows(expression: string, factor: number): string {
  const window = new RegExp(`\\[${duration.source}\\]`, 'g');
  return expression.replaceAll(window, (found) => `[${shortenDuration(found.slice(1, -1), factor)}]`);
}

export async function readRules(): Promise<Rules> {
  return parse(await textOf('rules.yaml'));
}

export function shortenRules({ groups }: Rules, factor: number): Rules {
  const shorten = (rule: Rule): Rule => ({
    ...rule,
    expr: shortenWindows(rule.expr, factor),
    ...(rule.for !== undefined && { for: shortenDuration(rule.for, factor) }),
  });
  return { groups: groups.map((group) => ({ ...group, rules: group.rules.map(shorten) })) };
}

export interface Places {
  readonly rulesFile: string;
  readonly tokenFile: string;
  readonly alertmanager: string;
  /** `host:port` of each replica, by the job's name. */
  readonly targets: Readonly<Record<string, readonly string[]>>;
}

/** A target that is down would otherwise be tried for as long as in production. */
export async function prometheusConfig(factor: number, places: Places): Promise<object> {
  const file: PrometheusFile = parse(await textOf('prometheus.yaml'));
  return {
    ...file,
    global: shortenAll(file.global, factor),
    rule_files: [places.rulesFile],
    alerting: { alertmanagers: [{ static_configs: [{ targets: [places.alertmanager] }] }] },
    scrape_configs: file.scrape_configs.map((job) => ({
      ...job,
      authorization: { credentials_file: places.tokenFile },
      static_configs: [{ targets: places.targets[job.job_name] }],
    })),
  };
}

/** Its receivers call `webhook`, with the receiver's name as the path. */
export async function alertmanagerConfig(factor: number, webhook: string): Promise<object> {
  const file: AlertmanagerFile = parse(await textOf('alertmanager.yaml'));
  return {
    ...file,
    route: shortenRoute(file.route, factor),
    receivers: file.receivers.map(({ name }) => ({ name, webhook_configs: [{ url: `${webhook}/${name}` }] })),
  };
}

function shortenRoute({ routes, ...route }: Route, factor: number): Route {
  const children = routes === undefined ? {} : { routes: routes.map((each) => shortenRoute(each, factor)) };
  return { ...shortenAll(route, factor), ...children };
}

/** The members that are durations. */
function shortenAll<Members extends object>(members: Members, factor: number): Members {
  const isDuration = (value: unknown) => typeof value === 'string' && new RegExp(`^${duration.source}$`).test(value);
  const entries = Object.entries(members).map(([name, value]) => [
    name,
    isDuration(value) ? shortenDuration(value, factor) : value,
  ]);
  return Object.fromEntries(entries);
}

function textOf(name: string): Promise<string> {
  return Bun.file(join(source, name)).text();
}
