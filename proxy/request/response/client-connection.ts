/**
 * The client's side of a request, and what happens upstream when the client disconnects. If the provider bills the whole
 * response anyway, or is the only one that knows the usage, the gateway keeps reading the response, within limits, so that
 * its usage is exact (`drain`). Otherwise it aborts the request at the provider (`abort`).
 */
import type { OnDisconnect } from '../../../shared/catalogue/published-catalogue.ts';
import type { Cancellation } from '../../nouns/cancellation.ts';
import { abandonedResponseMaxBytes, abandonedResponseTimeoutMs } from '../../nouns/limits.ts';

interface DrainLimits {
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

export const drainLimits: DrainLimits = { timeoutMs: abandonedResponseTimeoutMs, maxBytes: abandonedResponseMaxBytes };

export class ClientConnection {
  /** The client has disconnected; nothing new may be started for it. */
  closed = false;
  /** Called once, when the client disconnects. */
  onClose: (() => void) | undefined;
  /** Of the deployment in use; without one, there is nothing to wait for. */
  onDisconnect: OnDisconnect = 'abort';
  /** Called when the client disconnects: whether the usage is awaited regardless of `onDisconnect`. */
  needsUsage: (() => boolean) | undefined;
  readonly #abort: Pick<Cancellation, 'abort'>;
  readonly #limits: DrainLimits | null;
  #drainedBytes = 0;
  #timer: Timer | undefined;

  /** Aborting ends all work for the request. Without limits, a response is read like that of a client that stays. */
  constructor(abort: Pick<Cancellation, 'abort'>, limits: DrainLimits | null) {
    this.#abort = abort;
    this.#limits = limits;
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    if (this.onDisconnect === 'abort' && !this.needsUsage?.()) this.#giveUp();
    else if (this.#limits !== null) this.#timer = setTimeout(() => this.#giveUp(), this.#limits.timeoutMs);
    this.onClose?.();
  }

  /** Called for each chunk of the response. */
  received(bytes: number): void {
    if (!this.closed || this.#limits === null) return;
    this.#drainedBytes += bytes;
    if (this.#drainedBytes > this.#limits.maxBytes) this.#giveUp();
  }

  /** The request has ended. */
  end(): void {
    if (this.#timer !== undefined) clearTimeout(this.#timer);
  }

  #giveUp(): void {
    this.#abort.abort('client_gone');
  }
}
