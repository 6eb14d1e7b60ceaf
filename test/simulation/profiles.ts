/** Kinds of trouble: the probability of each step in a run. */

const weights = {
  begin: 26,
  deliver: 26,
  end: 12,
  fail: 2,
  time: 14,
  tick: 14,
  apply: 12,
  expire: 8,
  recover: 10,
  credit: 3,
  late: 5,
  copy: 3,
  'cut off': 4,
  'proxy killed': 1.5,
  'admin killed before commit': 2,
  'admin killed after commit': 2,
  'duplicate event': 2,
  'Postgres down': 1,
  'Redis restarted': 0.7,
  'failover that forgets': 0.7,
  'Redis lost everything': 0.4,
  'clock jump': 0.5,
  'Redis restarted under another clock': 0,
  'failover to another clock': 0,
  'uncovered charge': 0,
  'death in an overrun': 0,
  'overtaken renewal': 0,
  'repetition under a slower clock': 0,
  flush: 0,
  burst: 0,
  recall: 0,
  key: 0,
  budget: 0,
  night: 0,
  'draw repeated after a failover': 0,
};

export type Step = keyof typeof weights;

/** The kinds of trouble of a campaign. */
export interface Profile {
  /** The share of providers that ignore the output cap. */
  readonly overrunShare: number;
  /** The largest initial balance of an account, in hundreds of nano-dollars. */
  readonly creditMax: number;
  /** The share of messages between a proxy and Redis that are lost or late. */
  readonly faultShare: number;
  /** Runs take turns: each has more of one kind of trouble, so that rare combinations occur in few runs. */
  readonly turns: readonly Partial<Record<Step, number>>[];
  /** Proxies take leases. */
  readonly hasLeases?: boolean;
  /** Accounts have several keys, in projects, and budgets at every level. */
  readonly hasBudgets?: boolean;
  /** Where the wall clock begins; runs take turns. */
  readonly startsAt?: readonly number[];
}

const cutOffs = { 'cut off': 12, expire: 14, begin: 36, time: 24, tick: 24 };
const losses = {
  'cut off': 4,
  'failover that forgets': 4,
  'Redis lost everything': 3,
  recover: 30,
  begin: 40,
  end: 30,
  apply: 30,
  time: 7,
};
const noLoss = { 'failover that forgets': 0.1, 'Redis lost everything': 0.1 };
const kills = { 'proxy killed': 6, expire: 14, time: 24, tick: 24 };
const otherClocks = { 'Redis restarted under another clock': 3, 'failover to another clock': 2 };

const leasing = { burst: 40, flush: 30, recall: 6 };

const budgeting = { ...leasing, budget: 30, night: 4, 'clock jump': 0 };
/** Some hours before clocks are changed in Berlin, New York and on Lord Howe Island. */
const summerTimeChanges = [
  '2026-10-24T18:00',
  '2026-11-01T01:00',
  '2027-03-27T18:00',
  '2027-04-03T09:00',
  '2026-12-31T15:00',
].map((time) => Date.parse(`${time}:00Z`));

/** A seed means the same run for ever only if its profile does not change: add profiles, do not edit these. */
export const profiles = {
  usual: { overrunShare: 0.05, creditMax: 30, faultShare: 0.06, turns: [{}, cutOffs, losses, kills] },
  /** Output beyond its cap on small balances, in proxies that are killed or cut off. */
  overruns: {
    overrunShare: 0.6,
    creditMax: 12,
    faultShare: 0.2,
    turns: [
      { ...kills, ...noLoss, deliver: 60, late: 20, 'death in an overrun': 4 },
      { ...kills, ...cutOffs, ...noLoss, deliver: 60, late: 20, credit: 1 },
      { ...kills, ...noLoss, deliver: 60, end: 4, 'overtaken renewal': 8 },
    ],
  },
  /** Charges that their wallets cannot cover, and Redises that then lose everything. */
  clamps: {
    overrunShare: 0.1,
    creditMax: 8,
    faultShare: 0.06,
    turns: [
      { 'uncovered charge': 12, 'Redis lost everything': 4, recover: 24 },
      { 'uncovered charge': 12, 'Redis lost everything': 4, recover: 24, apply: 5, late: 12 },
    ],
  },
  /** Redises with different clocks, and charges that wait for a Postgres that is down while Redis loses everything. */
  clocks: {
    overrunShare: 0.2,
    creditMax: 30,
    faultShare: 0.2,
    turns: [
      otherClocks,
      { ...losses, ...otherClocks, time: 24, tick: 24 },
      { ...losses, ...otherClocks, 'Postgres down': 4, 'clock jump': 3, 'repetition under a slower clock': 6 },
    ],
  },
  /** Proxies that begin requests from leases, several on each wallet, on balances from plenty to the last cents. */
  leases: {
    overrunShare: 0.1,
    creditMax: 4_000,
    faultShare: 0.15,
    hasLeases: true,
    turns: [
      { ...leasing },
      { ...leasing, ...losses, 'Redis restarted': 2, 'cut off': 10, 'draw repeated after a failover': 20 },
      { ...leasing, ...kills, ...noLoss },
      { ...leasing, ...cutOffs, ...noLoss },
      { ...leasing, ...noLoss, key: 24, 'clock jump': 0 },
    ],
  },
  /** The same on their last cents: what one proxy's lease has is what another one's request needs. */
  cents: {
    overrunShare: 0.1,
    creditMax: 120,
    faultShare: 0.08,
    hasLeases: true,
    turns: [
      { ...leasing, ...noLoss },
      { ...leasing, ...noLoss, ...kills },
      { ...leasing, ...cutOffs, ...noLoss, credit: 10 },
    ],
  },
  /** Budgets of every level and period that are made, changed and removed, moved keys, and clocks that are put forward and back. */
  budgets: {
    overrunShare: 0.15,
    creditMax: 4_000,
    faultShare: 0.08,
    hasLeases: true,
    hasBudgets: true,
    startsAt: summerTimeChanges,
    turns: [
      { ...budgeting, ...noLoss },
      { ...budgeting, ...noLoss, ...kills },
      { ...budgeting, ...noLoss, ...cutOffs },
      { ...budgeting, ...losses, 'Redis restarted': 2 },
      { ...budgeting, ...noLoss, burst: 0, flush: 10 },
    ],
  },
} as const satisfies Record<string, Profile>;

export type ProfileName = keyof typeof profiles;

/** The kind of trouble of one run. */
export function weightsOf(profile: ProfileName, seed: number): Readonly<Record<Step, number>> {
  const { turns } = profiles[profile];
  return { ...weights, ...turns[seed % turns.length] };
}
