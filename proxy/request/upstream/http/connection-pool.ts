/** The connections to providers that no request uses at the moment, by origin. */
import { monotonicMs } from '../../../../shared/durations.ts';
import { Connection, type Origin } from './connection.ts';

/** Servers close idle connections after a minute or more; one that is closed in the meantime costs a repetition. */
const idleMs = 55_000;
const sweepIntervalMs = 5_000;
/** A name may have another address by then. */
const ageMaxMs = 300_000;
/** Of one origin. */
const idleMax = 1_024;

interface Idle {
  readonly connection: Connection;
  readonly sinceMs: number;
}

export class ConnectionPool {
  readonly #idle = new Map<string, Idle[]>();
  #sweep: Timer | undefined;

  /** The one that was used last: the others become old and are closed. */
  take(origin: Origin): Connection | undefined {
    return this.#idle.get(origin.key)?.pop()?.connection;
  }

  /** It is not open yet. */
  create(origin: Origin): Connection {
    return new Connection(origin, this);
  }

  onIdle(connection: Connection): void {
    if (monotonicMs() - connection.openedAtMs > ageMaxMs) {
      connection.close();
      return;
    }
    const { key } = connection.origin;
    let idle = this.#idle.get(key);
    if (idle === undefined) {
      idle = [];
      this.#idle.set(key, idle);
    }
    idle.push({ connection, sinceMs: monotonicMs() });
    if (idle.length > idleMax) idle.shift()?.connection.close();
    this.#sweep ??= setInterval(() => this.#closeOld(), sweepIntervalMs).unref();
  }

  onClosed(connection: Connection): void {
    const { key } = connection.origin;
    const idle = this.#idle.get(key);
    const place = idle?.findIndex((each) => each.connection === connection) ?? -1;
    if (place >= 0) idle?.splice(place, 1);
    if (idle?.length === 0) this.#idle.delete(key);
  }

  /** Closes those that are idle. */
  close(): void {
    clearInterval(this.#sweep);
    this.#sweep = undefined;
    for (const idle of [...this.#idle.values()]) for (const { connection } of [...idle]) connection.close();
  }

  #closeOld(): void {
    const untilMs = monotonicMs() - idleMs;
    for (const idle of [...this.#idle.values()])
      for (const { connection, sinceMs } of [...idle]) if (sinceMs < untilMs) connection.close();
    if (this.#idle.size === 0) this.close();
  }
}
