/**
 * Checks every request at rest: what its customer was charged, compared with what the provider has written, what the
 * client received, and the cost in the response.
 */
import type { NanoUsd } from '../../../shared/money.ts';
import { shardOfAccount } from '../../../shared/wallet/shard.ts';
import type { UpstreamTruth } from '../../harness/providers/truthful-provider.ts';
import { pauseMaxMs } from '../faults/paused-writes.ts';
import type { Attempt, ClientView } from '../load/attempt.ts';
import { busyModel, costAt, isMeantToSucceed, type Plan } from '../load/plan.ts';
import { isLimited, type World } from '../world/world.ts';
import { wasTroubled } from './incident.ts';
import { type BookedRequest, readBookedRequests } from './ledger.ts';

/** At the customer's price. */
interface PricedTruth extends UpstreamTruth {
  /** The cost of the prompt alone, for the dearest model that the request names. */
  readonly promptNano: NanoUsd;
  /** The total cost; zero if the provider failed before any output. */
  readonly costNano: NanoUsd;
}

export interface CheckedAttempt {
  readonly attempt: Attempt;
  readonly truth: PricedTruth;
  readonly chargedNano: bigint;
  /** What a wallet could not cover: the gateway's loss. */
  readonly unchargedNano: bigint;
  readonly violation: string | undefined;
}

type Finding = Omit<CheckedAttempt, 'violation'> & { readonly violation: string };

export interface Verdict {
  readonly checked: readonly CheckedAttempt[];
  readonly violations: readonly string[];
}

/** How long after its end a charge may be on its way to Redis and the ledger, if its proxy dies. */
const onItsWayMs = 15_000;
/** The longest time for a charge to reach Redis on a busy machine, after its response, if Redis is also paused by a fault. */
const chargeLeavesMs = 1_000 + pauseMaxMs;

/** The longest time for which a shard is closed on a busy machine. */
const recoveryMs = 30_000;

export async function verify(world: World, attempts: readonly Attempt[]): Promise<Verdict> {
  const booked = await readBookedRequests(world);
  const checked: CheckedAttempt[] = [];
  const nameless: Attempt[] = [];
  for (const attempt of attempts) {
    const { requestId } = attempt.view;
    if (requestId === undefined) {
      nameless.push(attempt);
      continue;
    }
    checked.push(checkAttempt(world, { attempt, attempts, booking: booked.get(requestId) }));
    booked.delete(requestId);
  }
  const matched = matchNameless(world, nameless, [...booked.values()]);
  checked.push(...matched.checked);
  const violations = [...matched.violations];
  for (const checkedAttempt of checked) {
    const { violation } = checkedAttempt;
    if (violation !== undefined) violations.push(describe({ ...checkedAttempt, violation }));
  }
  return { checked, violations };
}

interface Case {
  readonly attempt: Attempt;
  /** The findings of the whole run. */
  readonly attempts: readonly Attempt[];
  readonly booking: BookedRequest | undefined;
}

function checkAttempt(world: World, { attempt, attempts, booking }: Case): CheckedAttempt {
  const truth = truthOf(world, attempt.plan);
  const chargedNano = booking?.chargedNano ?? 0n;
  const unchargedNano = booking?.unchargedNano ?? 0n;
  const costNano = chargedNano + unchargedNano;
  const violation =
    booking !== undefined && booking.accountId !== attempt.customer.accountId
      ? 'another account was charged'
      : (overcharge(attempt, truth, costNano) ??
        (canRespond(world, attempt) ? undercharge(attempt, truth, costNano) : undefined) ??
        unexplainedFailure(world, attempt, attempts));
  return { attempt, truth, chargedNano, unchargedNano, violation };
}

function truthOf(world: World, plan: Plan): PricedTruth {
  const truth = world.provider.truthOf(plan);
  const { promptTokens, promptTokensOfOne, outputTokens } = truth;
  return {
    ...truth,
    promptNano: costAt(plan.namesBusyModel ? busyModel : plan.model, { prompt: promptTokensOfOne, completion: 0 }),
    costNano: costAt(plan.model, { prompt: promptTokens, completion: outputTokens }),
  };
}

/** Holds in any case. */
function overcharge({ view }: Attempt, truth: PricedTruth, costNano: bigint): string | undefined {
  if (costNano > limitOf(view, truth)) return 'charged more than the provider has written';
  if (view.ending === 'refused' && costNano > 0n) return 'a refused request was charged';
  if (view.reportedNano !== undefined && costNano > view.reportedNano) return 'charged more than the client was told';
  return undefined;
}

/**
 * The provider's output. A client that leaves while a provider is being called pays for the prompt at the price of the
 * model that is asked, even if the request had not arrived yet: the gateway has sent it, and cannot know.
 */
function limitOf(view: ClientView, { costNano, promptNano }: PricedTruth): bigint {
  return view.ending === 'left' && promptNano > costNano ? promptNano : costNano;
}

/** Holds if the proxy survived, or the charge had enough time to leave it. */
function undercharge({ plan, view }: Attempt, truth: PricedTruth, costNano: bigint): string | undefined {
  if (view.reportedNano !== undefined && costNano !== view.reportedNano) return 'not charged what the client was told';
  if (view.ending === 'complete') {
    const isWhole = plan.tokens <= plan.tokensMax;
    return isWhole && costNano !== truth.costNano ? 'a whole answer is not charged what it cost' : undefined;
  }
  // If a provider ignores the cap, a little more is delivered than the hold covers before more is requested from Redis;
  // it is free if Redis then does not respond.
  const completion = Math.min(view.receivedTokens, plan.tokensMax);
  const received = costAt(plan.model, { prompt: truth.promptTokens, completion });
  const owes = view.status === 200 && (view.ending === 'left' || view.ending === 'error_event');
  return owes && costNano < received ? 'charged less than the client received' : undefined;
}

/** A circuit opens after eight failures in a row, or ten of twenty; a request that is planned to fail is tried twice. */
const plannedFailuresMin = 4;
const remembersMs = 20_000;

/** Whether the proxy's circuit for the model may be open: enough requests before this one were planned to fail. */
function mayHaveOpened(attempts: readonly Attempt[], { plan, replica, startedAtMs }: Attempt): boolean {
  const failed = attempts.filter(
    (other) =>
      other.replica === replica &&
      other.plan.model === plan.model &&
      (other.plan.provider === 'fails' || (other.plan.provider === 'cuts' && !other.plan.stream)) &&
      other.startedAtMs <= startedAtMs &&
      other.startedAtMs >= startedAtMs - remembersMs,
  );
  return failed.length >= plannedFailuresMin;
}

/** A fault that must not affect clients has affected one. */
function unexplainedFailure(world: World, attempt: Attempt, attempts: readonly Attempt[]): string | undefined {
  const { plan, customer, view } = attempt;
  if (view.ending === 'complete' || !isMeantToSucceed(plan) || isLimited(world, customer)) return undefined;
  const time = { fromMs: attempt.startedAtMs, untilMs: attempt.endedAtMs };
  const isExplained =
    wasTroubled(world.incidents, time, ['a proxy', 'Redis']) ||
    (view.code === 'wallet_unavailable' && wasRecovered(world, attempt)) ||
    (view.code === 'no_healthy_deployment' && mayHaveOpened(attempts, attempt));
  return isExplained ? undefined : 'failed although nothing stood in its way';
}

/** Whether the shard may have been closed meanwhile, as a precaution. */
function wasRecovered({ recoveries }: World, { customer, startedAtMs, endedAtMs }: Attempt): boolean {
  const shard = shardOfAccount(customer.accountId);
  return recoveries.some(
    (recovery) => recovery.shard === shard && recovery.atMs <= endedAtMs && recovery.atMs >= startedAtMs - recoveryMs,
  );
}

function canRespond(world: World, { replica, view, startedAtMs, endedAtMs }: Attempt): boolean {
  if (replica.killedAtMs === undefined) return true;
  if (view.requestId !== undefined && world.lostBeforeBooked.has(view.requestId)) return false;
  // The response does not wait for its charge, which takes some milliseconds and is lost if the proxy crashes in that
  // time.
  if (view.ending !== 'complete' || replica.killedAtMs < endedAtMs + chargeLeavesMs) return false;
  return !wasTroubled(world.incidents, { fromMs: startedAtMs, untilMs: endedAtMs + onItsWayMs }, ['Redis']);
}

/**
 * Clients that did not even get headers do not know their request's id. The remaining charges must be theirs: with both
 * sides ordered by size, a pairing in which no charge exceeds its limit exists only if this one does.
 */
function matchNameless(world: World, nameless: readonly Attempt[], leftOver: readonly BookedRequest[]) {
  const checked: CheckedAttempt[] = [];
  const violations: string[] = [];
  const accounts = new Set([...nameless.map(({ customer }) => customer.accountId), ...leftOver.map(accountOf)]);
  for (const accountId of accounts) {
    const open = nameless
      .filter(({ customer }) => customer.accountId === accountId)
      .map((attempt) => ({ attempt, truth: truthOf(world, attempt.plan) }))
      .map((each) => ({ ...each, limitNano: limitOf(each.attempt.view, each.truth) }))
      .sort((one, other) => Number(other.limitNano - one.limitNano));
    const charges = leftOver
      .filter((booking) => accountOf(booking) === accountId && costOf(booking) > 0n)
      .sort((one, other) => Number(costOf(other) - costOf(one)));
    for (const [index, { attempt, truth }] of open.entries()) {
      const booking = charges[index];
      const costNano = booking === undefined ? 0n : costOf(booking);
      const violation = overcharge(attempt, truth, costNano) ?? unexplainedFailure(world, attempt, nameless);
      const { chargedNano = 0n, unchargedNano = 0n } = booking ?? {};
      checked.push({ attempt, truth, chargedNano, unchargedNano, violation });
    }
    for (const { requestId, chargedNano } of charges.slice(open.length)) {
      violations.push(`account ${accountId} was charged ${chargedNano} for ${requestId}, which no client has sent`);
    }
  }
  return { checked, violations };
}

function accountOf({ accountId }: BookedRequest): number {
  return accountId;
}

function costOf({ chargedNano, unchargedNano }: BookedRequest): bigint {
  return chargedNano + unchargedNano;
}

function describe({ attempt, truth, chargedNano, violation }: Finding): string {
  const { plan, view, fault, replica } = attempt;
  const facts = [
    `account ${attempt.customer.accountId}`,
    `fault "${fault}"`,
    `${plan.stream ? 'stream' : 'whole'} of ${plan.model}, provider ${plan.provider}, client ${plan.client}`,
    `ended ${view.ending} ${view.status ?? ''} ${view.code ?? ''}`.trimEnd(),
    `received ${view.receivedTokens} of ${truth.outputTokens} tokens`,
    `charged ${chargedNano}, told ${view.reportedNano ?? 'nothing'}, truth ${truth.costNano}`,
    replica.killedAtMs === undefined ? 'its proxy lives' : 'its proxy was killed',
  ];
  return `request ${view.requestId ?? plan.marker}: ${violation} (${facts.join('; ')})`;
}
