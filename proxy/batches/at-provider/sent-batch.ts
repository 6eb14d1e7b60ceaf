/**
 * A batch at its provider, of lines of one of ours: when it has ended, each line that waits for it gets its response, as if it had
 * been sent on its own. A line without a response fails, and is sent in another way.
 */
import { monotonicMs } from '../../../shared/durations.ts';
import type { Log } from '../../../shared/log.ts';
import { nextTurn } from '../../../shared/next-turn.ts';
import { type HttpResponse, passOn } from '../../nouns/http-response.ts';
import { UpstreamFailure } from '../../nouns/upstream-failure.ts';
import type { Deployment } from '../../pricing/catalogue.ts';
import type { BatchApi, LineResponse } from '../../providers/batch-api.ts';
import type { ProviderRoom } from './provider-room.ts';

/** Between two looks at a batch: the first ones are soon. */
const lookEveryMs = { first: 1_000, most: 60_000, growth: 1.3 } as const;
/** Lines of a batch that another proxy has sent begin to wait one after the other. */
const quietMs = 500;
/** For so long a provider may take to cancel a batch, and lines may begin to wait for what it has run. */
const cancelPatienceMs = 15 * 60_000;
const readTriesMax = 10;

export interface SentBatchOptions {
  readonly api: BatchApi;
  readonly log: Log;
  readonly deployment: Deployment;
  /** The provider's id of the batch. */
  readonly id: string;
  /** The lines that it has. */
  readonly lines: ReadonlySet<number>;
  /** For responses that are with their lines and not stored. */
  readonly responseRoom: ProviderRoom;
  /** When it is cancelled at its provider, so that what it has not run can be run here. */
  readonly giveUpAtMs: number;
  /** The line has had its response, or will have none. */
  onOver(line: number): void;
}

type Waiting = PromiseWithResolvers<HttpResponse>;

export class SentBatch {
  readonly #options: SentBatchOptions;
  readonly #waiting = new Map<number, Waiting>();
  /** Lines that have had their response, or the certainty that there is none. */
  readonly #over = new Set<number>();
  /** What gives the room of a response back. */
  readonly #delivered = new Map<number, () => void>();
  #wake = Promise.withResolvers<void>();
  /** Resolves when the next look is due at once, also if that is decided during a look. */
  #hurry = Promise.withResolvers<void>();
  #hasEnded = false;
  readonly #closed = new AbortController();
  /** Monotonic. */
  #cancelledAtMs: number | undefined;

  constructor(options: SentBatchOptions) {
    this.#options = options;
    void this.#run();
  }

  get deployment(): Deployment {
    return this.#options.deployment;
  }

  /** Whether the line can wait for a response of this batch. */
  has(line: number): boolean {
    if (this.#isClosed || this.#cancelledForMs > cancelPatienceMs) return false;
    return this.#options.lines.has(line) && !this.#over.has(line);
  }

  /** Rejects with UpstreamFailure if there will be no response, and with the reason of the signal. */
  response(line: number, signal: AbortSignal): Promise<HttpResponse> {
    const waiting = Promise.withResolvers<HttpResponse>();
    const leave = () => {
      this.#waiting.delete(line);
      waiting.reject(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    this.#waiting.set(line, waiting);
    this.#wakeUp();
    return waiting.promise.finally(() => signal.removeEventListener('abort', leave));
  }

  /** It has been stored, or failed. */
  lineEnded(line: number): void {
    this.#delivered.get(line)?.();
    this.#delivered.delete(line);
  }

  /** What was run until then still gets its response. */
  cancel(): void {
    if (this.#cancelledAtMs !== undefined) return;
    this.#cancelledAtMs = monotonicMs();
    this.#hurry.resolve();
  }

  /** Another proxy continues. */
  close(): void {
    this.#closed.abort();
    this.#failAll(() => true, 'The batch is continued elsewhere.');
    this.#hurry.resolve();
    this.#wakeUp();
  }

  async #run(): Promise<void> {
    this.#hasEnded = await this.#end();
    while (!this.#isClosed) {
      await this.#untilQuiet();
      if (this.#waiting.size > 0) await this.#deliverTried();
      else await this.#somethingHappens();
    }
  }

  /** Resolves with whether it has ended at the provider; false if that no longer matters. */
  async #end(): Promise<boolean> {
    const { api, id } = this.#options;
    let isCancelSent = false;
    for (let pauseMs: number = lookEveryMs.first; !this.#isClosed; ) {
      if (Date.now() >= this.#options.giveUpAtMs) this.cancel();
      try {
        if (this.#cancelledAtMs !== undefined && !isCancelSent) {
          await api.cancel(id);
          isCancelSent = true;
          pauseMs = lookEveryMs.first;
        }
        if (await api.hasEnded(id)) return true;
      } catch (error) {
        this.#warn(error, 'a batch of a provider could not be looked after');
        if (error instanceof UpstreamFailure && error.status === 404) return false;
      }
      if (this.#cancelledForMs > cancelPatienceMs) return false;
      await this.#pause(pauseMs);
      pauseMs = Math.min(lookEveryMs.most, pauseMs * lookEveryMs.growth);
    }
    return false;
  }

  get #isClosed(): boolean {
    return this.#closed.signal.aborted;
  }

  get #cancelledForMs(): number {
    return this.#cancelledAtMs === undefined ? 0 : monotonicMs() - this.#cancelledAtMs;
  }

  /** Less if it is cancelled or closed. */
  async #pause(ms: number): Promise<void> {
    const timer = setTimeout(() => this.#hurry.resolve(), ms);
    await this.#hurry.promise;
    clearTimeout(timer);
    this.#hurry = Promise.withResolvers();
  }

  async #untilQuiet(): Promise<void> {
    for (let size = -1; size !== this.#waiting.size && !this.#isClosed; ) {
      size = this.#waiting.size;
      await Bun.sleep(quietMs);
    }
  }

  async #deliverTried(): Promise<void> {
    const asked = new Set(this.#waiting.keys());
    for (let tries = 1; this.#hasEnded && !this.#isClosed; tries += 1) {
      try {
        await this.#deliver();
        break;
      } catch (error) {
        if (this.#isClosed) break;
        this.#warn(error, 'the responses of a batch could not be read');
        if (tries >= readTriesMax) break;
        await Bun.sleep(lookEveryMs.first * tries);
      }
    }
    this.#failAll((line) => asked.has(line), 'The provider has not run the request in its batch.');
  }

  async #deliver(): Promise<void> {
    let number = 0;
    for await (const response of this.#options.api.responses(this.#options.id)) {
      if (this.#isClosed) return;
      number += 1;
      if (number % 32 === 0) await nextTurn();
      if (this.#waiting.has(response.number)) await this.#deliverOne(response);
    }
  }

  async #deliverOne(response: LineResponse): Promise<void> {
    const bytes = Buffer.byteLength(response.body);
    const leave = await this.#options.responseRoom.acquire(bytes, this.#closed.signal);
    const waiting = this.#take(response.number);
    if (waiting === undefined) return leave();
    this.#delivered.set(response.number, leave);
    waiting.resolve(responseOf(response));
  }

  #failAll(isMeant: (line: number) => boolean, message: string): void {
    for (const line of [...this.#waiting.keys()].filter(isMeant)) {
      this.#take(line)?.reject(new UpstreamFailure('unreachable', message));
    }
  }

  #take(line: number): Waiting | undefined {
    const waiting = this.#waiting.get(line);
    if (waiting === undefined) return undefined;
    this.#waiting.delete(line);
    if (!this.#isClosed) {
      this.#over.add(line);
      this.#options.onOver(line);
    }
    return waiting;
  }

  #warn(error: unknown, message: string): void {
    const { log, deployment, id } = this.#options;
    log.warn({ deployment: deployment.name, providerBatch: id, err: error }, message);
  }

  #somethingHappens(): Promise<void> {
    return this.#wake.promise;
  }

  #wakeUp(): void {
    const { resolve } = this.#wake;
    this.#wake = Promise.withResolvers<void>();
    resolve();
  }
}

function responseOf({ status, body }: LineResponse): HttpResponse {
  const pieces: Uint8Array[] = [Buffer.from(body)];
  return {
    status,
    headers: new Headers({ 'content-type': 'application/json' }),
    readWhile: (take) => passOn(() => Promise.resolve(pieces.shift()), take),
  };
}
