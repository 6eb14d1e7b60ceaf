/** What the bench has measured, beside what the simulation says about the same arrangement of programs and cores. */
import type { BenchFigures, Measured } from './read-results.ts';
import { type Part, parts, type Setup, type Simulated, simulate } from './simulate.ts';

/** How far apart they may be before the simulation is not to be believed. */
export const deviationMax = 0.2;
const connections = 64;
const seconds = 4;
/** Of pending charges, as in bench/scenarios/stores/ledger-apply.ts. */
const pendingCharges = 30_000;
const chargesPerTransaction = 1_000;
const commitUs = 2_000;

export interface Comparison {
  readonly figure: string;
  readonly measured: number;
  readonly simulated: number;
  /** Whether it has to agree. */
  readonly isChecked: boolean;
}

export function deviationOf({ measured, simulated }: Comparison): number {
  return simulated / measured - 1;
}

export function reproduce(figures: BenchFigures, seed: number): readonly Comparison[] {
  const { closed, open, oneOnOneCore, twoOnTwoCores, ledger } = figures;
  const [wakeUs] = open.map((each) => each.wakeUs).toSorted((one, other) => one - other);
  const others = parts.filter((part) => part !== 'proxy');
  const setup = { seed, seconds, wakeUs: wakeUs ?? 0, redisServers: 1, admins: 1, shareMax: figures.shareMax };
  const apart = [{ cores: 1, parts: others }];
  const run = (own: Pick<Setup, 'costs' | 'proxies' | 'shared' | 'arrivals'> & Partial<Setup>) =>
    simulate({ ...setup, ...own });
  const alone = { proxies: 1, shared: apart };
  return [
    ...compare(closed, run({ ...alone, costs: closed.costs, arrivals: { connections } }), { checksMedian: false }),
    ...open.flatMap((each) => {
      const arrivals = { perSecond: each.rate };
      return compare(each, run({ ...alone, costs: each.costs, wakeUs: each.wakeUs, arrivals }), { checksMedian: true });
    }),
    ...together(oneOnOneCore, run({ ...onCores(1), costs: oneOnOneCore.costs, arrivals: { connections } })),
    ...together(
      twoOnTwoCores,
      run({ ...onCores(2), costs: twoOnTwoCores.costs, arrivals: { connections: 2 * connections } }),
    ),
    {
      figure: 'pending charges: booked per second',
      measured: ledger.perSecond,
      simulated: bookPending(ledger.adminUs, closed.costs.postgres),
      isChecked: true,
    },
  ];
}

/** Replicas and everything else on the same cores. */
function onCores(cores: number): Pick<Setup, 'proxies' | 'shared'> {
  return { proxies: cores, shared: [{ cores, parts: [...parts] }] };
}

/**
 * The slowest request in a hundred depends on what the bench's machine does beside. So does the median of a closed loop: the
 * mean follows from the throughput, and the longer some requests are stopped, the further below it the others are.
 */
function compare(
  measured: Measured,
  simulated: Simulated,
  { checksMedian }: { readonly checksMedian: boolean },
): Comparison[] {
  const { name, p50Ms = Number.NaN, p99Ms = Number.NaN } = measured;
  return [
    checked(`${name}: requests per second`, measured.perSecond, simulated.perSecond),
    { ...checked(`${name}: p50, ms`, p50Ms, simulated.p50Ms), isChecked: checksMedian },
    { ...checked(`${name}: p99, ms`, p99Ms, simulated.p99Ms), isChecked: false },
    checked(`${name}: core of the proxy, in use`, measured.proxyBusy, simulated.busy.proxy),
    checked(`${name}: core of everything else, in use`, measured.otherBusy, busyBesideProxy(simulated)),
  ];
}

function together(measured: Measured, simulated: Simulated): Comparison[] {
  const busy = simulated.busy.proxy + busyBesideProxy(simulated);
  return [
    checked(`${measured.name}: requests per second`, measured.perSecond, simulated.perSecond),
    checked(`${measured.name}: cores in use`, measured.proxyBusy + measured.otherBusy, busy),
  ];
}

function checked(figure: string, measured: number, simulated: number): Comparison {
  return { figure, measured, simulated, isChecked: true };
}

export function busyBesideProxy({ busy }: Simulated): number {
  const others: readonly Part[] = parts.filter((part) => part !== 'proxy');
  return others.reduce((sum, part) => sum + busy[part], 0);
}

/** Admin and Postgres take turns on one core, and every transaction waits for the disk. */
function bookPending(adminUs: number, postgresUs: number): number {
  const transactions = pendingCharges / chargesPerTransaction;
  const us = pendingCharges * (adminUs + postgresUs) + transactions * commitUs;
  return (pendingCharges * 1e6) / us;
}
