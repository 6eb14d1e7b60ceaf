/**
 * What happens upstream when the client leaves. Where a provider bills the whole answer anyway, or only it can tell what
 * has been used, the answer is read on, within limits, so that its usage is exact (`drain`); everywhere else the provider
 * is told to stop (`abort`).
 */
import type { OnDisconnect } from '../../shared/catalogue/published-catalogue.ts';
import type { Cancellation } from '../settlement/cancellation.ts';
import { abandonedAnswerMaxBytes, abandonedAnswerTimeoutMs, answerMaxBytes } from '../upstream/limits.ts';

const drainLimits = { timeoutMs: abandonedAnswerTimeoutMs, maxBytes: abandonedAnswerMaxBytes };
/** Images that have begun to come have been made, and are few but large. */
export const imageDrainLimits = { ...drainLimits, maxBytes: answerMaxBytes };

export class ClientDeparture {
  /** The client has gone: nothing is to be begun for him any more. */
  left = false;
  /** Called once, when he leaves. */
  onLeave: (() => void) | undefined;
  /** Of the deployment that is at work; while none is, there is nothing to wait for. */
  onDisconnect: OnDisconnect = 'abort';
  /** Asked when the client leaves: only the provider can tell what has been used, whatever its deployment says. */
  needsUsage: (() => boolean) | undefined;
  readonly #abort: Pick<Cancellation, 'abort'>;
  readonly #limits: typeof drainLimits;
  #drainedBytes = 0;
  #timer: Timer | undefined;

  /** Aborting ends everything that is done for the request. */
  constructor(abort: Pick<Cancellation, 'abort'>, limits = drainLimits) {
    this.#abort = abort;
    this.#limits = limits;
  }

  leave(): void {
    if (this.left) return;
    this.left = true;
    if (this.onDisconnect === 'abort' && !this.needsUsage?.()) this.#giveUp();
    else this.#timer = setTimeout(() => this.#giveUp(), this.#limits.timeoutMs);
    this.onLeave?.();
  }

  /** Called for each piece of the answer. */
  received(bytes: number): void {
    if (!this.left) return;
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
