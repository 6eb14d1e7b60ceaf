/**
 * The lines of one batch that its providers run as batches of their own. Each is on the ordinary path of a request, with a hold of
 * its own; only that it is sent together with others, and its response takes hours. What was sent is written down, so another
 * proxy waits for the same batches. A provider that does not run a line within half of the time gets it on its own.
 */
import type { Log } from '../../../shared/log.ts';
import type { HttpResponse } from '../../nouns/http-response.ts';
import { UpstreamFailure } from '../../nouns/upstream-failure.ts';
import type { Deployment } from '../../pricing/catalogue.ts';
import { blobOf, textOf, type UpstreamRequest } from '../../providers/adapter.ts';
import type { BatchApi, BatchLine } from '../../providers/batch-api.ts';
import type { Batched } from '../../request/response/deferred.ts';
import type { ProxyServices } from '../../request/services.ts';
import type { Batches, StoredBatch } from '../../storage/batches.ts';
import { batchApiOf, findBatchApi } from './find-batch-api.ts';
import type { ProviderRoom } from './provider-room.ts';
import { removeSent } from './remove-sent.ts';
import { SentBatch } from './sent-batch.ts';

/** Lines wait for others for so long. */
const gatherMs = 1_000;
/** Of one batch at a provider. OpenAI takes 50,000 and 200 MB, Anthropic 100,000 and 256 MB. */
const linesMax = 10_000;
const bytesMax = 32 * 1024 * 1024;
/** A longer one is sent on its own. */
const lineMaxBytes = 1024 * 1024;
/** Of the time of the batch: how long lines are sent to providers' batches, and when those are given up. */
const shares = { gathering: 1 / 2, waiting: 23 / 24 } as const;
const patienceMs = 25 * 60 * 60_000;
const sendTriesMax = 5;
const sendPauseMs = 2_000;

export interface LinesAtProviderOptions {
  readonly services: Pick<ProxyServices, 'credentials' | 'catalogue' | 'log'>;
  readonly batches: Batches;
  readonly batch: StoredBatch;
  readonly room: ProviderRoom;
  readonly responseRoom: ProviderRoom;
  /** Whether further lines may be begun may have changed. */
  onChange(): void;
}

export interface WaitingLine {
  readonly number: number;
  /** Of its body. */
  readonly bytes: number;
  /** From now on it only waits. */
  waits(): void;
}

interface Gathered extends BatchLine {
  /** Once it is aborted, the line no longer waits. */
  readonly signal: AbortSignal;
  readonly response: PromiseWithResolvers<HttpResponse>;
}

interface Gathering {
  readonly deployment: Deployment;
  readonly api: BatchApi;
  readonly lines: Gathered[];
  bytes: number;
  timer: Timer | undefined;
}

export class LinesAtProvider {
  readonly #options: LinesAtProviderOptions;
  readonly #log: Log;
  readonly #sent: SentBatch[] = [];
  /** By deployment and address. */
  readonly #gathering = new Map<string, Gathering>();
  /** What gives the room of a line back. */
  readonly #rooms = new Map<number, () => void>();
  /** Lines that are sent on their own from now on. */
  readonly #tried = new Set<number>();
  readonly #gatheringEnds = new AbortController();
  readonly #closed = new AbortController();
  #waitingForRoom = 0;
  #isCancelled = false;

  constructor(options: LinesAtProviderOptions) {
    this.#options = options;
    this.#log = options.services.log;
  }

  /** Finds what another proxy has sent. */
  async resume(): Promise<void> {
    const { services, batches, batch } = this.#options;
    for (const { deployment: name, providerBatchId, lines } of await batches.listSent(batch)) {
      const found = findBatchApi(services, name);
      if (found !== undefined) this.#watch({ ...found, id: providerBatchId, lines: new Set(lines) });
      else this.#log.warn({ batch: batch.id, deployment: name, providerBatchId }, 'a batch of a provider is given up');
    }
  }

  get hasAny(): boolean {
    return this.#sent.length > 0;
  }

  /** Whether a provider has it already, and it can wait for its response. */
  has(line: number): boolean {
    return !this.#tried.has(line) && this.#sent.some((sent) => sent.has(line));
  }

  /** There is no room for a line that was begun: further ones would wait, too. */
  get isFull(): boolean {
    return this.#waitingForRoom > 0;
  }

  /** As of `Deferred`. */
  batchedAt(line: WaitingLine, deployments: readonly Deployment[]): Batched | undefined {
    const sent = this.#sent.find((each) => each.has(line.number));
    const known = sent && deployments.find(({ name }) => name === sent.deployment.name);
    if (sent !== undefined && known !== undefined) {
      return { deployment: known, patienceMs, client: { post: (_, { signal }) => this.#rejoin(sent, line, signal) } };
    }
    const [deployment] = deployments;
    if (deployment === undefined) return undefined;
    if (this.#isCancelled) return { deployment, patienceMs, client: { post: () => this.#refuse(line) } };
    if (!this.#mayGather(line, deployment)) return undefined;
    const api = batchApiOf(this.#options.services, deployment);
    if (api === undefined) return undefined;
    const post = (request: UpstreamRequest, { signal }: { readonly signal: AbortSignal }) =>
      this.#send(line, { request, signal, deployment, api });
    return { deployment, patienceMs, client: { post } };
  }

  /** It was stored or postponed, or has failed. */
  lineEnded(number: number): void {
    for (const sent of this.#sent) sent.lineEnded(number);
    this.#rooms.get(number)?.();
    this.#rooms.delete(number);
  }

  /** Called about every second. */
  look(): void {
    if (!this.#isGathering) this.#stopGathering();
  }

  /** Lines that were run get their responses, also those that begin to wait later, and the others fail. Nothing more is sent. */
  cancel(): void {
    this.#isCancelled = true;
    this.#stopGathering();
    for (const sent of this.#sent) sent.cancel();
  }

  /** Another proxy continues. */
  close(): void {
    this.#stopGathering();
    // Those too that are being sent.
    this.#closed.abort(new UpstreamFailure('unreachable', 'The batch is continued elsewhere.'));
    for (const sent of this.#sent) sent.close();
  }

  /** Everything has been read: providers need not keep it. */
  async forget(): Promise<void> {
    const { batches, batch } = this.#options;
    this.close();
    await removeSent(this.#options, await batches.listSent(batch));
  }

  #mayGather({ number, bytes }: WaitingLine, { batches }: Deployment): boolean {
    return batches === true && bytes <= lineMaxBytes && !this.#tried.has(number) && this.#isGathering;
  }

  get #isGathering(): boolean {
    return !this.#gatheringEnds.signal.aborted && Date.now() < this.#after(shares.gathering);
  }

  #after(share: number): number {
    const { createdAt, expiresAt } = this.#options.batch;
    return (createdAt + (expiresAt - createdAt) * share) * 1_000;
  }

  /** It cannot wait for its provider, for example because the catalogue no longer leads there. */
  #refuse({ number }: WaitingLine): Promise<never> {
    this.#tried.add(number);
    return Promise.reject(new UpstreamFailure('unreachable', 'The batch was cancelled before the request was sent.'));
  }

  #rejoin(sent: SentBatch, { number, bytes, waits }: WaitingLine, signal: AbortSignal): Promise<HttpResponse> {
    this.#rooms.set(number, this.#options.room.take(bytes));
    waits();
    return sent.response(number, signal);
  }

  async #send(
    { number, bytes, waits }: WaitingLine,
    {
      request,
      signal,
      deployment,
      api,
    }: Pick<Gathering, 'deployment' | 'api'> & {
      readonly request: UpstreamRequest;
      readonly signal: AbortSignal;
    },
  ): Promise<HttpResponse> {
    waits();
    await this.#enter(number, bytes, signal);
    const body = textOf(request.body) ?? (await blobOf(request.body).text());
    signal.throwIfAborted();
    this.#gatheringEnds.signal.throwIfAborted();
    const response = Promise.withResolvers<HttpResponse>();
    const ends = AbortSignal.any([signal, this.#closed.signal]);
    ends.addEventListener('abort', () => response.reject(ends.reason), { once: true });
    this.#gather({ number, url: request.url, body, signal: ends, response }, { deployment, api });
    return response.promise;
  }

  async #enter(number: number, bytes: number, signal: AbortSignal): Promise<void> {
    this.#waitingForRoom += 1;
    try {
      const either = AbortSignal.any([signal, this.#gatheringEnds.signal]);
      this.#rooms.set(number, await this.#options.room.acquire(bytes, either));
    } finally {
      this.#waitingForRoom -= 1;
      this.#options.onChange();
    }
  }

  #gather(line: Gathered, { deployment, api }: Pick<Gathering, 'deployment' | 'api'>): void {
    const key = `${deployment.name} ${line.url}`;
    let gathering = this.#gathering.get(key);
    if (gathering === undefined) {
      gathering = { deployment, api, lines: [], bytes: 0, timer: undefined };
      this.#gathering.set(key, gathering);
    }
    gathering.lines.push(line);
    gathering.bytes += line.body.length;
    clearTimeout(gathering.timer);
    const isWhole = gathering.lines.length >= linesMax || gathering.bytes >= bytesMax;
    if (isWhole) this.#sendAll(key);
    else gathering.timer = setTimeout(() => this.#sendAll(key), gatherMs);
  }

  #sendAll(key: string): void {
    const gathering = this.#gathering.get(key);
    if (gathering === undefined) return;
    this.#gathering.delete(key);
    void this.#sendTried(gathering);
  }

  /** Rejects no promise but those of its lines. */
  async #sendTried(gathering: Gathering): Promise<void> {
    const { deployment, api } = gathering;
    for (let tries = 1; ; tries += 1) {
      const lines = gathering.lines.filter(({ signal }) => !signal.aborted);
      try {
        this.#gatheringEnds.signal.throwIfAborted();
        if (lines.length > 0) await this.#sendNow({ deployment, api, lines });
        return;
      } catch (error) {
        if (tries < sendTriesMax && mayPass(error) && !this.#gatheringEnds.signal.aborted) {
          await Bun.sleep(sendPauseMs * 2 ** tries);
          continue;
        }
        this.#log.warn(
          { batch: this.#options.batch.id, deployment: deployment.name, lines: lines.length, err: error },
          'a batch could not be sent to its provider',
        );
        for (const { number, response } of gathering.lines) {
          if (!this.#gatheringEnds.signal.aborted) this.#tried.add(number);
          response.reject(error);
        }
        return;
      }
    }
  }

  async #sendNow({ deployment, api, lines }: Pick<Gathering, 'deployment' | 'api' | 'lines'>): Promise<void> {
    const { batches, batch } = this.#options;
    const id = await api.create(lines);
    const numbers = lines.map(({ number }) => number);
    this.#log.info(
      { batch: batch.id, deployment: deployment.name, providerBatchId: id, lines: lines.length },
      'lines of a batch are with their provider',
    );
    try {
      await batches.writeSent(batch, { deployment: deployment.name, providerBatchId: id, lines: numbers });
    } catch (error) {
      // No other proxy would know of it.
      await api.cancel(id).catch(() => {});
      throw error;
    }
    const sent = this.#watch({ deployment, api, id, lines: new Set(numbers) });
    for (const { number, signal, response } of lines) {
      if (!signal.aborted) sent.response(number, signal).then(response.resolve, response.reject);
    }
  }

  #watch(batch: { deployment: Deployment; api: BatchApi; id: string; lines: ReadonlySet<number> }): SentBatch {
    const sent = new SentBatch({
      ...batch,
      log: this.#log,
      responseRoom: this.#options.responseRoom,
      giveUpAtMs: this.#after(shares.waiting),
      onOver: (line) => void this.#tried.add(line),
    });
    this.#sent.push(sent);
    if (this.#isCancelled) sent.cancel();
    if (this.#closed.signal.aborted) sent.close();
    return sent;
  }

  #stopGathering(): void {
    if (this.#gatheringEnds.signal.aborted) return;
    this.#gatheringEnds.abort(
      new UpstreamFailure('unreachable', 'The request was not sent to a batch of its provider.'),
    );
    for (const key of this.#gathering.keys()) this.#sendAll(key);
  }
}

/** The provider may take the same lines a moment later. */
function mayPass(error: unknown): boolean {
  if (!(error instanceof UpstreamFailure)) return false;
  const { reason, status = 0 } = error;
  return reason === 'unreachable' || status === 429 || status >= 500;
}
