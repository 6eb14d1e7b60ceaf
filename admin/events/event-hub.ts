/**
 * Tells clients of this replica what happens to their accounts. While there is at least one, it looks at all of their
 * accounts together twice a second, and at their sessions and the deployments less often. Without clients it does nothing.
 */
import type { Sql } from 'postgres';
import { GatewayError } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import type { RedisClient } from '../../shared/redis/connect.ts';
import type { Role } from '../auth/permissions.ts';
import type { SignInRule } from '../auth/sign-in-rule.ts';
import type { Database } from '../database/connect.ts';
import type { UsageArchive } from '../ledger/archive/usage-archive.ts';
import { type AccountUpdate, AccountWatch } from './account-watch.ts';
import { type CircuitChange, CircuitWatch } from './circuit-watch.ts';
import { type Member, Subscribers, subscriberLimits } from './subscribers.ts';

/** `replaced`: another client needed the place. */
export type EndReason = 'session_ended' | 'token_expired' | 'shutting_down' | 'replaced';

export interface Subscriber extends Member {
  readonly sessionId: string;
  readonly userId: number;
  readonly isOperator: boolean;
  readonly organizationRole: Role;
  /** As it was when they came. */
  readonly signInRule: SignInRule;
  readonly hasSecondFactor: boolean;
  /** When its access token expires. */
  readonly endsAtMs: number;
  /** All later events are sent. */
  ready(): void;
  account(news: AccountUpdate): void;
  circuit(change: CircuitChange): void;
  heartbeat(): void;
  end(reason: EndReason): void;
}

interface HubServices {
  readonly database: Database;
  readonly archive: UsageArchive;
  readonly redis: RedisClient;
  readonly log: Log;
}

const lookPauseMs = 500;
/** In looks. */
const sessionsEvery = 2;
const circuitsEvery = 2;
const heartbeatEvery = 30;

export class EventHub {
  readonly #services: HubServices;
  readonly #accounts: AccountWatch;
  readonly #circuits: CircuitWatch;
  readonly #subscribers: Subscribers<Subscriber>;
  readonly #waiting = new Set<Subscriber>();
  #running = false;
  #stopped = false;

  constructor(services: HubServices, limits = subscriberLimits) {
    this.#services = services;
    this.#subscribers = new Subscribers(limits);
    this.#accounts = new AccountWatch({ ...services.database, archive: services.archive });
    this.#circuits = new CircuitWatch(services.redis);
  }

  /** Returns how to leave. Throws GatewayError `rate_limit_exceeded` and `shutting_down`. */
  subscribe(subscriber: Subscriber): () => void {
    if (this.#stopped) throw noMoreStreams();
    const replaced = this.#subscribers.add(subscriber);
    if (replaced !== undefined) this.#end(replaced, 'replaced');
    this.#waiting.add(subscriber);
    if (!this.#running) void this.#run();
    return () => this.#remove(subscriber);
  }

  /** Ends all streams, so that the server can close its connections. */
  stop(): void {
    this.#stopped = true;
    for (const subscriber of this.#subscribers) this.#end(subscriber, 'shutting_down');
  }

  async #run(): Promise<void> {
    this.#running = true;
    for (let looks = 0; this.#subscribers.size > 0; looks += 1) {
      try {
        await this.#look(looks);
      } catch (error) {
        this.#services.log.warn({ err: error }, 'events cannot be read; the streams stay open');
      }
      await Bun.sleep(lookPauseMs);
    }
    this.#circuits.rest();
    this.#running = false;
  }

  async #look(looks: number): Promise<void> {
    // Those who arrive during this check get the next one.
    const newcomers = [...this.#waiting];
    this.#endExpired();
    if (looks % heartbeatEvery === heartbeatEvery - 1) for (const each of this.#subscribers) each.heartbeat();
    if (looks % sessionsEvery === 0) await this.#endSessions();
    const accountIds = [...new Set([...this.#subscribers].map(({ accountId }) => accountId))];
    for (const news of await this.#accounts.look(accountIds)) {
      for (const each of this.#subscribers) if (each.accountId === news.accountId) each.account(news);
    }
    // From `ready` on, an operator gets every change.
    const hasNewOperator = newcomers.some(({ isOperator }) => isOperator);
    if (looks % circuitsEvery === 0 || hasNewOperator) await this.#publishCircuits();
    for (const each of newcomers) if (this.#waiting.delete(each)) each.ready();
  }

  #endExpired(): void {
    const now = Date.now();
    for (const each of this.#subscribers) if (each.endsAtMs <= now) this.#end(each, 'token_expired');
  }

  async #endSessions(): Promise<void> {
    const ended = await findEnded(this.#services.database.sql, [...this.#subscribers]);
    for (const each of ended) this.#end(each, 'session_ended');
  }

  async #publishCircuits(): Promise<void> {
    const operators = [...this.#subscribers].filter(({ isOperator }) => isOperator);
    if (operators.length === 0) return this.#circuits.rest();
    for (const change of await this.#circuits.look()) for (const each of operators) each.circuit(change);
  }

  #end(subscriber: Subscriber, reason: EndReason): void {
    this.#remove(subscriber);
    subscriber.end(reason);
  }

  #remove(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber);
    this.#waiting.delete(subscriber);
  }
}

/** Listeners whose session has ended, or for whom the role or the sign-in rule is not what it was when they came. */
async function findEnded(sql: Sql, subscribers: readonly Subscriber[]): Promise<Subscriber[]> {
  const sessions = [...new Set(subscribers.map(({ sessionId }) => sessionId))];
  const userIds = [...new Set(subscribers.map(({ userId }) => userId))];
  const revoked = await sql<{ family: string }[]>`
    SELECT DISTINCT family FROM refresh_tokens WHERE family = ANY(${sessions}::uuid[]) AND revoked_at IS NOT NULL`;
  const members = await sql<{ member: string }[]>`
    SELECT concat_ws(' ', users.id, memberships.account_id, memberships.role, users.role, coalesce(sign_in_rule, 'none'),
      second_factor_at IS NOT NULL) AS member
    FROM memberships JOIN users ON users.id = memberships.user_id
      LEFT JOIN organization_settings ON organization_settings.account_id = memberships.account_id
    WHERE users.id = ANY(${userIds}::bigint[])`;
  const ended = new Set(revoked.map(({ family }) => family));
  const current = new Set(members.map(({ member }) => member));
  return subscribers.filter(({ sessionId, userId, accountId, organizationRole, isOperator, ...signIn }) => {
    // In a session of an identity provider, operators are customers.
    const roles = isOperator ? ['operator'] : ['customer', 'operator'];
    const rest = [signIn.signInRule, signIn.hasSecondFactor ? 't' : 'f'];
    const isMember = roles.some((role) => current.has([userId, accountId, organizationRole, role, ...rest].join(' ')));
    return ended.has(sessionId) || !isMember;
  });
}

export const noMoreStreams = () => new GatewayError('shutting_down', 'This replica is shutting down. Connect again.');
