/**
 * Sends what is due to webhook endpoints. Attempts run side by side, a few for each endpoint and organization, and each is recorded when
 * it ends; so slow endpoints take up their own share and no one else's.
 *
 * Sending and recording cannot be one atomic step: a delivery is repeated if this program dies between the two. Every attempt has the
 * same `webhook-id`.
 */
import { Counter } from 'prom-client';
import type { Log } from '../../../shared/log.ts';
import type { AdminConfig } from '../../config/admin.ts';
import type { Database } from '../../database/connect.ts';
import { resealSecret } from '../endpoints/secrets.ts';
import { type AttemptServices, attemptDelivery } from './attempt-delivery.ts';
import { type ClaimedDelivery, claimDeliveries } from './claim-deliveries.ts';
import { giveBack, recordAttempt } from './record-attempt.ts';

export interface SenderServices extends AttemptServices {
  readonly database: Database;
  readonly config: AttemptServices['config'] & Pick<AdminConfig, 'shutdown'>;
  readonly log: Log;
  /** The program is shutting down: attempts in flight get the grace period, and are then aborted. */
  readonly stopping: AbortSignal;
}

export const atOnceMax = 64;
export const atOnceOfEndpoint = 4;
export const atOnceOfAccount = 16;
/** While attempts run, how long until it is seen what has become due. */
const lookAgainMs = 500;

const attemptsCounter = new Counter({
  name: 'gateway_webhook_attempts_total',
  help: 'Attempts to deliver a webhook, by outcome',
  labelNames: ['outcome'],
});
for (const outcome of ['delivered', 'put_off', 'failed', 'rested']) attemptsCounter.inc({ outcome }, 0);

export class WebhookSender {
  readonly #services: SenderServices;
  readonly #running = new Map<ClaimedDelivery, Promise<void>>();
  readonly #cut = new AbortController();
  readonly #failures: unknown[] = [];

  constructor(services: SenderServices) {
    this.#services = services;
    const { stopping, config } = services;
    const cut = () => this.#cut.abort(new Error('the program is shutting down'));
    const cutAfterGrace = () => setTimeout(cut, config.shutdown.graceMs).unref();
    stopping.addEventListener('abort', cutAfterGrace, { once: true });
  }

  /** One step: attempts what is due and what becomes due meanwhile. Throws what could not be recorded. */
  async sendDue(): Promise<void> {
    // Those that had to wait for an attempt are claimed before it is over, also if that one ends while Postgres is being asked.
    for (;;) {
      const wasIdle = this.#running.size === 0;
      for (const delivery of await this.#claim()) this.#begin(delivery);
      if (this.#running.size > 0) await Promise.race([Bun.sleep(lookAgainMs), ...this.#running.values()]);
      else if (wasIdle) break;
    }
    const [failure] = this.#failures.splice(0);
    if (failure !== undefined) throw failure;
  }

  #claim(): Promise<ClaimedDelivery[]> | readonly ClaimedDelivery[] {
    const { database, now, stopping } = this.#services;
    const max = atOnceMax - this.#running.size;
    if (stopping.aborted || max <= 0) return [];
    const running = new Map<string, number>();
    for (const { endpoint } of this.#running.keys()) running.set(endpoint.id, (running.get(endpoint.id) ?? 0) + 1);
    const limits = { max, maxOfEndpoint: atOnceOfEndpoint, maxOfAccount: atOnceOfAccount };
    return claimDeliveries(database.sql, { now: now(), ...limits, running });
  }

  #begin(delivery: ClaimedDelivery): void {
    const ended = this.#attempt(delivery)
      .catch((error) => this.#failures.push(error))
      .then(() => {
        this.#running.delete(delivery);
      });
    this.#running.set(delivery, ended);
  }

  async #attempt(delivery: ClaimedDelivery): Promise<void> {
    const { database, log, now } = this.#services;
    await this.#reseal(delivery);
    const attempted = await attemptDelivery(this.#services, delivery, this.#cut.signal);
    if (this.#cut.signal.aborted && !attempted.isDelivered) return giveBack(database.db, delivery);
    const outcome = await recordAttempt(database.db, { delivery, attempted, now: now() });
    attemptsCounter.inc({ outcome });
    const { id, attempt, type, endpoint } = delivery;
    const about = { delivery: id, endpoint: endpoint.id, type, attempt, status: attempted.status, outcome };
    log[outcome === 'delivered' ? 'debug' : 'info']({ ...about, reason: attempted.error }, 'webhook attempted');
  }

  async #reseal({ endpoint: { id, sealedSecret } }: ClaimedDelivery): Promise<void> {
    const { database, config } = this.#services;
    const again = resealSecret(config, id, sealedSecret);
    if (again === undefined) return;
    await database.sql`UPDATE webhook_endpoints SET sealed_secret = ${again} WHERE id = ${id} AND sealed_secret = ${sealedSecret}`;
  }
}
