/**
 * Makes one fault after another in a running product, and observes which alerts fire in a real Prometheus, which of them
 * reach the receivers of a real Alertmanager, and when they clear.
 */
import { dashboardFiles } from '../../../deploy/grafana/dashboards.ts';
import { expressionsOf } from '../../deploy/panels.ts';
import { waitFor } from '../../harness/account-view.ts';
import type { Fault } from './faults/fault.ts';
import { behaveWell } from './faults/provider-faults.ts';
import { type Monitoring, startMonitoring } from './monitoring/monitoring.ts';
import { readRules, shortenWindows } from './monitoring/shorten.ts';
import { type Product, startProduct } from './product/product.ts';
import { startTraffic } from './product/traffic.ts';

/** Longer than the longest window and `for` of an alert, ten minutes each, together. */
const calmProductionMs = 25 * 60_000;
const firesWithinProductionMs = 35 * 60_000;
const spareMs = 30_000;
const clearsWithinMs = 150_000;
const startMs = 3_000;
const lookMs = 5_000;

export interface AlertsOptions {
  readonly faults: readonly Fault[];
  /** By how much faster time passes in Prometheus and Alertmanager. */
  readonly factor: number;
  /** Alerts that prove nothing here when they fire unexpectedly. */
  readonly ignored?: readonly string[];
  readonly onStep?: (text: string) => void;
}

/** An alert and the fault that was made for it. Instants are in milliseconds since the fault began, or since it ended. */
export interface AlertOutcome {
  readonly alert: string;
  readonly severity: string;
  readonly fault: string;
  readonly firedAfterMs: number | undefined;
  /** The receiver, and when it was notified. */
  readonly notified: { readonly receiver: string; readonly afterMs: number } | undefined;
  /** The receiver was notified that it is over. */
  clearedAfterMs: number | undefined;
}

export interface AlertsRun {
  readonly outcomes: readonly AlertOutcome[];
  /** Alerts that fired and should not have, with what happened at that time. */
  readonly unexpected: readonly { readonly alert: string; readonly during: string }[];
  /** Faults that could not be made or ended. */
  readonly failures: readonly { readonly fault: string; readonly problem: string }[];
  /** Expressions of Grafana's dashboards that had no value in the whole run. */
  readonly withoutData: readonly string[];
}

export async function rehearseAlerts(options: AlertsOptions): Promise<AlertsRun> {
  const product = await startProduct();
  try {
    behaveWell(product.provider);
    const targets = { 'gateway-proxy': hostsOf(product.proxies), 'gateway-admin': hostsOf(product.admins) };
    const { directory, metricsToken } = product;
    const monitoring = await startMonitoring({ directory, factor: options.factor, metricsToken, targets });
    const traffic = startTraffic(product);
    try {
      return await new AlertRehearsal(product, monitoring, options).run();
    } finally {
      await traffic.stop();
      await monitoring.stop();
    }
  } finally {
    await product.stop();
  }
}

class AlertRehearsal {
  readonly #outcomes: AlertOutcome[] = [];
  readonly #unexpected: { readonly alert: string; readonly during: string }[] = [];
  readonly #failures: { readonly fault: string; readonly problem: string }[] = [];
  /** Alerts of earlier faults that may continue to fire, with when their faults ended. */
  readonly #lingering = new Map<string, number>();

  constructor(
    readonly product: Product,
    readonly monitoring: Monitoring,
    readonly options: AlertsOptions,
  ) {}

  async run(): Promise<AlertsRun> {
    const { faults, factor } = this.options;
    const startedAtMs = Date.now();
    // What fired before the first scrape.
    await Bun.sleep(startMs);
    await waitFor('alerts of the start to clear', clearsWithinMs, async () => this.monitoring.firingNow().length === 0);
    await this.#observe('nothing', [], () => Bun.sleep(calmProductionMs / factor));
    const severities = new Map((await readRules()).groups.flatMap(({ rules }) => rules.map(severityOf)));
    for (const fault of faults) {
      const expected = [...fault.fires, ...(fault.mayFire ?? []), ...this.#lingering.keys()];
      // One fault that cannot be made does not keep the others from being made.
      const fail = (error: unknown) => this.#failures.push({ fault: fault.name, problem: String(error) });
      await this.#observe(fault.name, expected, () => this.#make(fault, severities).catch(fail));
    }
    await this.#observe('nothing again', [...this.#lingering.keys()], async () => {
      for (const [alert, endedAtMs] of this.#lingering) await this.#untilCleared(alert, endedAtMs);
    });
    const withoutData = await this.#findWithoutData(startedAtMs);
    return { outcomes: this.#outcomes, unexpected: this.#unexpected, failures: this.#failures, withoutData };
  }

  /** Of what the dashboards show. */
  async #findWithoutData(sinceMs: number): Promise<string[]> {
    const expressions = Object.values(dashboardFiles()).flatMap(expressionsOf);
    const empty: string[] = [];
    for (const expression of new Set(expressions)) {
      const shortened = shortenWindows(expression, this.options.factor);
      if (!(await this.monitoring.hasData(shortened, sinceMs))) empty.push(expression);
    }
    return empty;
  }

  /** Remembers everything that fired in the meantime and is not expected. */
  async #observe(name: string, expected: readonly string[], act: () => Promise<unknown>): Promise<void> {
    this.options.onStep?.(name);
    const fromMs = Date.now();
    await act();
    const { firings } = this.monitoring;
    const during = firings.filter(({ untilMs }) => untilMs === undefined || untilMs >= fromMs);
    const allowed = new Set([...expected, ...(this.options.ignored ?? [])]);
    const names = new Set(during.map(({ alert }) => alert).filter((alert) => !allowed.has(alert)));
    for (const alert of names) this.#unexpected.push({ alert, during: name });
  }

  async #make(fault: Fault, severities: ReadonlyMap<string, string>): Promise<void> {
    const beganAtMs = Date.now();
    const end = await fault.begin(this.product);
    const limitMs = fault.firesWithinMs ?? firesWithinProductionMs / this.options.factor + spareMs;
    const outcomes = await Promise.all(fault.fires.map((alert) => this.#untilFiring(alert, beganAtMs, limitMs)));
    const missing = outcomes.filter(({ notified }) => notified === undefined).map(({ alert }) => alert);
    if (missing.length > 0) this.options.onStep?.(`  not told of ${missing.join(', ')}`);
    await end();
    const endedAtMs = Date.now();
    for (const outcome of outcomes) {
      this.#outcomes.push({ ...outcome, fault: fault.name, severity: severities.get(outcome.alert) ?? '' });
      this.#lingering.set(outcome.alert, endedAtMs);
    }
    if (fault.lingers) return;
    for (const alert of fault.fires) await this.#untilCleared(alert, endedAtMs);
    const others = () => this.monitoring.firingNow().filter((alert) => !this.#lingering.has(alert));
    await waitFor('consequences to clear', clearsWithinMs, async () => others().length === 0).catch(() => undefined);
  }

  async #untilFiring(alert: string, beganAtMs: number, limitMs: number) {
    const { monitoring } = this;
    // The notification of its end may arrive late, from an earlier fault.
    const findNotification = async () =>
      monitoring.receiver.notifications.find(
        (each) => each.alert === alert && each.atMs >= beganAtMs && !each.isResolved,
      );
    const notification = await waitFor(alert, limitMs, findNotification).catch(() => undefined);
    // The receiver may get it before the watch looks again.
    const look = async () =>
      monitoring.firings.find((each) => each.alert === alert && (each.untilMs ?? Infinity) >= beganAtMs);
    const firing = await waitFor(alert, notification === undefined ? 0 : lookMs, look).catch(() => undefined);
    const notified = notification && { receiver: notification.receiver, afterMs: notification.atMs - beganAtMs };
    const firedAfterMs = firing && Math.max(0, firing.fromMs - beganAtMs);
    return { alert, firedAfterMs, notified, clearedAfterMs: undefined };
  }

  async #untilCleared(alert: string, endedAtMs: number): Promise<void> {
    const outcome = this.#outcomes.findLast((each) => each.alert === alert);
    if (outcome?.notified === undefined) return;
    const { receiver } = this.monitoring;
    const last = () => receiver.notifications.findLast((each) => each.alert === alert);
    const isCleared = async () => !this.monitoring.firingNow().includes(alert) && last()?.isResolved === true;
    await waitFor(`${alert} to clear`, clearsWithinMs, isCleared).then(
      () => {
        outcome.clearedAfterMs = Math.max(0, (last()?.atMs ?? endedAtMs) - endedAtMs);
        this.#lingering.delete(alert);
      },
      () => undefined,
    );
  }
}

function severityOf({ alert, labels }: { readonly alert: string; readonly labels: { readonly severity: string } }) {
  return [alert, labels.severity] as const;
}

function hostsOf(slots: readonly { readonly url: string }[]): readonly string[] {
  return slots.map(({ url }) => new URL(url).host);
}
