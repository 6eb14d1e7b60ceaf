/**
 * One batch, run by the proxy that has its lease: check the input → run its lines → write its files. Everything that is decided is in
 * the storage before it has an effect, so another proxy continues where this one ends.
 */
import { parseAddress } from '../../shared/addresses/address.ts';
import { monotonicMs } from '../../shared/durations.ts';
import type { Shard } from '../../shared/wallet/shard.ts';
import { endpoints } from '../api/endpoints.ts';
import type { Caller } from '../request/admission/caller.ts';
import { NotKept } from '../request/response/deferred.ts';
import type { ProxyServices } from '../request/services.ts';
import { packDecision, type Settle } from '../request/settlement/decision.ts';
import {
  type BatchEnding,
  type BatchProblem,
  type BatchState,
  isFinal,
  newState,
  type StoredBatch,
} from '../storage/batches.ts';
import type { BatchLease } from '../storage/lease/batch-lease.ts';
import type { ResultLog } from '../storage/result-log.ts';
import { UnreadableObject } from '../storage/sealed-objects.ts';
import type { Storage } from '../storage/storage.ts';
import { LinesAtProvider } from './at-provider/lines-at-provider.ts';
import type { ProviderRoom } from './at-provider/provider-room.ts';
import { checkInput, type InputFormat, type InputLine, readInput } from './input-lines.ts';
import { LineReader } from './line-reader.ts';
import { PostponedLines, type TriedLine } from './postponed-lines.ts';
import { runLine, unsentLine } from './run-line.ts';
import { ResultSettler } from './settle-results.ts';
import type { Slots } from './slots.ts';
import { newResultFiles, removeResultFiles, writeResultFiles } from './write-result-files.ts';

const lookEveryMs = 1_000;
const renewEveryMs = 10_000;
/** Results that wait to be stored, and their characters; further slots are only given back once theirs are. */
const unstoredMax = { results: 500, length: 16 * 1024 * 1024 } as const;

export interface BatchRunOptions {
  readonly services: ProxyServices;
  readonly storage: Storage;
  readonly batch: StoredBatch;
  readonly lease: BatchLease;
  readonly slots: Slots;
  readonly room: ProviderRoom;
  readonly responseRoom: ProviderRoom;
}

type Stop = 'released' | 'cancelled' | 'expired' | 'broken';

/** The input was removed, or cannot be read. */
class InputGone extends Error {
  override readonly name = 'InputGone';
}

export class BatchRun {
  readonly #options: BatchRunOptions;
  readonly #format: InputFormat;
  readonly #caller: Caller;
  readonly #settler: ResultSettler;
  readonly #atProvider: LinesAtProvider;
  /** By number: lines that have a result, and those whose charge Redis has confirmed to this process. */
  readonly #done = new Set<number>();
  readonly #settled = new Set<number>();
  readonly #running = new Set<Promise<void>>();
  readonly #postponed = new PostponedLines();
  #log: ResultLog | undefined;
  #state: BatchState = newState;
  #writtenState: BatchState = this.#state;
  #requests = 0;
  #unstored = 0;
  #unstoredLength = 0;
  #stop: Stop | undefined;
  #wake = Promise.withResolvers<void>();
  #renewedAtMs = monotonicMs();
  #isLooking = false;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: BatchRunOptions) {
    this.#options = options;
    const { batch, services } = options;
    const { accountId } = batch;
    this.#format = { endpoint: batch.endpoint, bodyMaxBytes: services.config.bodyMaxBytes };
    const { hash: keyHash, firstHash, shard, address } = batch.key;
    const from = address === null ? undefined : parseAddress(address);
    this.#caller = { keyHash, firstHash, accountId, shard: shard as Shard, address: () => from, rules: undefined };
    const { storage, room, responseRoom, lease } = options;
    const isLeft = () => this.#isLeft || !lease.isValid;
    this.#settler = new ResultSettler(services, { shard: shard as Shard, isLeft });
    const onChange = () => this.#wakeUp();
    const { batches } = storage;
    this.#atProvider = new LinesAtProvider({ services, batches, batch, room, responseRoom, onChange });
  }

  /** How many of its lines are being answered; not those whose result is only being stored. */
  get requests(): number {
    return this.#requests;
  }

  /** The storage, Redis or the lease has failed: the next proxy that takes the batch continues it. */
  get isBroken(): boolean {
    return this.#stop === 'broken';
  }

  /** Begins no further lines. `run` resolves once those that run have ended. */
  release(): void {
    this.#stopFor('released');
  }

  /** Resolves once the batch has ended, or this proxy no longer runs it. Rejects if the storage fails. */
  async run(): Promise<void> {
    const { storage, batch } = this.#options;
    this.#state = await storage.batches.readState(batch);
    this.#writtenState = this.#state;
    if (isFinal(this.#state)) return storage.batches.finish(batch);
    const looking = setInterval(() => void this.#look(), lookEveryMs);
    try {
      this.#log = await storage.batches.takeLog(batch);
      await this.#readLog(this.#log);
      await this.#runTaken(this.#log);
    } finally {
      clearInterval(looking);
      this.#atProvider.close();
    }
  }

  async #runTaken(log: ResultLog): Promise<void> {
    await this.#look();
    try {
      if (this.#state.status === 'validating' && !(await this.#check())) return;
      const ending = this.#state.ending ?? (await this.#runLines(log));
      if (ending === 'cancelled' || ending === 'expired') await this.#failRest(log, unsent[ending]);
      if (ending !== undefined) await this.#finish(log, ending);
    } catch (error) {
      if (!(error instanceof InputGone)) throw error;
      this.#options.services.log.warn({ batch: this.#options.batch.id, err: error }, 'the input of a batch is gone');
      this.#state = { ...this.#state, problems: [inputGone] };
      await this.#finish(log, 'failed');
    }
  }

  /** What another proxy has brought: its charges are made if they were not. */
  async #readLog(log: ResultLog): Promise<void> {
    const counts = { completed: 0, failed: 0 };
    for await (const { line, isAnswered, charge } of log.read()) {
      this.#done.add(line);
      counts[isAnswered ? 'completed' : 'failed'] += 1;
      if (charge !== undefined) await this.#settler.add(charge);
      this.#settled.add(line);
    }
    await this.#settler.confirmed();
    this.#state = { ...this.#state, ...counts };
  }

  /** Returns whether the batch has lines to run. */
  async #check(): Promise<boolean> {
    const { total, problems } = await checkInput(await this.#openInput(), this.#format);
    if (problems.length > 0) {
      await this.#fail(problems);
      return false;
    }
    await this.#write({ ...this.#state, status: 'in_progress', total, inProgressAt: nowSeconds() });
    return true;
  }

  async #fail(problems: readonly BatchProblem[]): Promise<void> {
    const { storage, batch } = this.#options;
    await this.#write({ ...this.#state, status: 'failed', endedAt: nowSeconds(), problems: [...problems] });
    await storage.batches.finish(batch);
  }

  /** How the batch ends; undefined if this proxy does not run it to its end. */
  async #runLines(log: ResultLog): Promise<BatchEnding | undefined> {
    await this.#atProvider.resume();
    const reader = this.#openReader();
    try {
      await this.#beginLines(log, reader);
    } finally {
      await reader.close();
      void log.flush();
      await Promise.all(this.#running);
    }
    if (this.#stop === 'released' || this.#stop === 'broken') return undefined;
    return this.#stop ?? 'completed';
  }

  #openReader(): LineReader {
    return new LineReader({
      format: this.#format,
      isAnyAtProvider: this.#atProvider.hasAny,
      open: () => this.#openInput(),
      isDone: (line) => this.#done.has(line),
      isAtProvider: (line) => this.#atProvider.has(line),
      hasRoomFor: (model) => this.#postponed.hasRoomFor(model),
      isStopped: () => this.#stop !== undefined,
    });
  }

  /** Until there are no more, and none is in flight or postponed, or another proxy continues. */
  async #beginLines(log: ResultLog, reader: LineReader): Promise<void> {
    while (!this.#isLeft) {
      const next = this.#takeDue() ?? (await this.#readNext(reader));
      if (next !== undefined) {
        await this.#begin(log, next);
        continue;
      }
      if (reader.isAtEnd && this.#running.size === 0 && this.#postponed.size === 0) break;
      if (this.#unstored > 0 && this.#unstored === this.#running.size) void log.flush();
      await this.#somethingHappens();
    }
  }

  /** Undefined if no further line may be begun now. */
  async #readNext(reader: LineReader): Promise<TriedLine | undefined> {
    if (this.#postponed.isFull || this.#atProvider.isFull) return undefined;
    try {
      const line = await reader.next();
      return line && { line, failures: [] };
    } catch (error) {
      // Lines that are in flight may be for hours. Without any, the storage is another proxy's to try.
      if (error instanceof InputGone || this.#running.size === 0) throw error;
      const { services, batch } = this.#options;
      services.log.warn({ batch: batch.id, err: error }, 'the input of a batch could not be read, and will be again');
      return undefined;
    }
  }

  async #begin(log: ResultLog, next: TriedLine): Promise<void> {
    const release = await this.#options.slots.acquire();
    const running: Promise<void> = (
      this.#mayBegin(next.line) ? this.#runLine(log, { ...next, release }) : Promise.resolve()
    )
      .catch((error: unknown) => this.#breakOff(error))
      .finally(() => {
        release();
        this.#running.delete(running);
        this.#wakeUp();
      });
    this.#running.add(running);
  }

  async #runLine(log: ResultLog, { line, failures, release }: TriedLine & { release(): void }): Promise<void> {
    const { services, lease, batch } = this.#options;
    const endpoint = endpoints[batch.endpoint];
    if (endpoint === undefined) throw new Error(`batches cannot be run for ${batch.endpoint}`);
    const { number } = line;
    const bytes = Buffer.byteLength(line.body);
    this.#requests += 1;
    const outcome = await runLine(services, {
      ...{ path: batch.endpoint, endpoint, line, failures, caller: this.#caller },
      keep: async (text, charge: Settle) => {
        await this.#store(log, { line: number, isAnswered: true, text, charge: packDecision(charge) }, release);
        // Another proxy may have taken the batch before this was stored.
        if (!lease.isValid) throw new NotKept();
      },
      charging: (confirmed) => void confirmed.then((isConfirmed) => isConfirmed === true && this.#settled.add(number)),
      batchedAt: (deployments) => this.#atProvider.batchedAt({ number, bytes, waits: release }, deployments),
    }).finally(() => {
      this.#requests -= 1;
      this.#atProvider.lineEnded(number);
    });
    if (outcome.kind === 'answered') this.#count('completed', number);
    else if (outcome.kind === 'left') this.#stopFor('broken');
    else if (outcome.kind === 'postponed') {
      this.#postpone({ line, failures: [...failures, outcome.code] }, outcome.retryAfterMs);
    } else await this.#storeFailure(log, number, outcome.text, release);
  }

  async #storeFailure(log: ResultLog, number: number, text: string, release?: () => void): Promise<void> {
    await this.#store(log, { line: number, isAnswered: false, text }, release);
    this.#settled.add(number);
    this.#count('failed', number);
  }

  /** The slot is for the request: while its result is stored, another line may have it. */
  async #store(log: ResultLog, result: Parameters<ResultLog['append']>[0], release?: () => void): Promise<void> {
    const { length } = result.text;
    this.#unstored += 1;
    this.#unstoredLength += length;
    if (this.#unstored < unstoredMax.results && this.#unstoredLength < unstoredMax.length) release?.();
    this.#wakeUp();
    try {
      await log.append(result);
    } catch (cause) {
      this.#stopFor('broken');
      throw new NotKept('', { cause });
    } finally {
      this.#unstored -= 1;
      this.#unstoredLength -= length;
    }
  }

  #count(what: 'completed' | 'failed', number: number): void {
    this.#options.services.batchMetrics.lines[what === 'completed' ? 'answered' : 'failed'] += 1;
    this.#done.add(number);
    this.#state = { ...this.#state, [what]: this.#state[what] + 1 };
  }

  #postpone(tried: TriedLine, retryAfterMs: number): void {
    this.#options.services.batchMetrics.lines.postponed += 1;
    this.#postponed.add(tried, retryAfterMs);
  }

  #takeDue(): TriedLine | undefined {
    if (this.#stop !== undefined) this.#postponed.keepOnly((line) => this.#mayBegin(line));
    return this.#postponed.takeDue();
  }

  /** Of a batch that is cancelled or too late, those that a provider has: it may have run them, and is paid for that. */
  #mayBegin({ number }: InputLine): boolean {
    return this.#stop === undefined || (!this.#isLeft && this.#atProvider.has(number));
  }

  /** Another proxy continues. */
  get #isLeft(): boolean {
    return this.#stop === 'released' || this.#stop === 'broken';
  }

  /** From its log to its files. */
  async #finish(log: ResultLog, ending: BatchEnding): Promise<void> {
    const { storage, batch } = this.#options;
    await log.flush();
    if (this.#stop === 'broken') return;
    const before = this.#state;
    const state: BatchState = { ...before, ...newResultFiles(before), status: 'finalizing', ending };
    await this.#write(state);
    await removeResultFiles(storage.files, batch, before);
    for await (const { line, charge } of log.read()) {
      if (charge !== undefined && !this.#settled.has(line)) await this.#settler.add(charge);
    }
    await this.#settler.confirmed();
    await this.#atProvider.forget();
    const files = await writeResultFiles(storage.files, batch, { state, results: log.read() });
    const { outputFileId: _output, errorFileId: _error, ...rest } = state;
    await this.#write({ ...rest, ...files, status: ending, endedAt: nowSeconds() });
    await storage.batches.finish(batch);
  }

  /** Lines that have no result get one: they were cancelled, or it was too late for them. */
  async #failRest(log: ResultLog, error: { readonly code: string; readonly message: string }): Promise<void> {
    const waiting: Promise<void>[] = [];
    const isLeft = (number: number) => !this.#done.has(number);
    for await (const line of readInput(() => this.#openInput(), this.#format, isLeft)) {
      const stored = this.#storeFailure(log, line.number, unsentLine(line, error));
      // Handled at once: the input may be read for longer.
      waiting.push(stored.catch((failure: unknown) => this.#breakOff(failure)));
    }
    void log.flush();
    await Promise.all(waiting);
  }

  async #openInput(): Promise<AsyncIterable<Uint8Array>> {
    const { storage, batch } = this.#options;
    const file = await storage.files.find(batch.accountId, batch.inputFileId);
    const content = file && (await storage.files.content(file));
    if (content === undefined) throw new InputGone(`the input of ${batch.id} is gone`);
    return readable(content);
  }

  /** Called about every second: keeps the lease, shows how far the batch is, and whether it has to stop. */
  async #look(): Promise<void> {
    const { lease, storage, batch } = this.#options;
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      if (monotonicMs() - this.#renewedAtMs > renewEveryMs) {
        this.#renewedAtMs = monotonicMs();
        if ((await lease.take()) !== 0) this.#stopFor('broken');
      }
      if (!lease.isValid) this.#stopFor('broken');
      this.#atProvider.look();
      if (Date.now() >= batch.expiresAt * 1_000) this.#stopFor('expired');
      else if ((await storage.batches.cancelledAt(batch)) !== undefined) this.#stopFor('cancelled');
      if (this.#state !== this.#writtenState && this.#state.status === 'in_progress') await this.#write(this.#state);
    } catch (error) {
      this.#options.services.log.warn({ batch: batch.id, err: error }, 'a batch could not be looked after');
    } finally {
      this.#isLooking = false;
    }
    this.#wakeUp();
  }

  async #write(state: BatchState): Promise<void> {
    const { storage, batch, lease } = this.#options;
    this.#state = state;
    // One after the other: the last one stays. After one that failed, and may still arrive, the next proxy writes.
    const write = async () => {
      if (!lease.isValid || this.#stop === 'broken' || this.#log === undefined) throw new NotKept();
      try {
        await storage.batches.writeState(batch, { term: this.#log.term, state });
      } catch (error) {
        this.#stopFor('broken');
        throw error;
      }
      // Another proxy may have taken the batch before this was stored, and does not know of it.
      if (!lease.isValid) throw new NotKept();
      this.#writtenState = state;
    };
    this.#writing = this.#writing.then(write, write);
    await this.#writing;
  }

  #breakOff(error: unknown): void {
    if (!(error instanceof NotKept)) {
      this.#options.services.log.error({ batch: this.#options.batch.id, err: error }, 'a line of a batch failed');
    }
    this.#stopFor('broken');
  }

  /** What is decided first stays, unless another proxy has to continue: it decides the same. */
  #stopFor(reason: Stop): void {
    const isLeaving = reason === 'broken' || (reason === 'released' && this.#stop !== 'broken');
    if (this.#stop === undefined || isLeaving) this.#stop = reason;
    if (this.#isLeft) this.#atProvider.close();
    else this.#atProvider.cancel();
    this.#wakeUp();
  }

  async #somethingHappens(): Promise<void> {
    await this.#wake.promise;
    this.#wake = Promise.withResolvers<void>();
  }

  #wakeUp(): void {
    this.#wake.resolve();
  }
}

/** Throws InputGone where it was changed, or sealed with a secret that is no longer known. */
async function* readable(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* content;
  } catch (cause) {
    throw cause instanceof UnreadableObject ? new InputGone(cause.message, { cause }) : cause;
  }
}

const inputGone: BatchProblem = {
  code: 'input_file_not_found',
  message: 'The input file was removed, or cannot be read.',
  line: null,
  param: 'input_file_id',
};

const unsent = {
  cancelled: { code: 'batch_cancelled', message: 'The batch was cancelled before this request was executed.' },
  expired: {
    code: 'batch_expired',
    message: 'This request could not be executed before the completion window expired.',
  },
} as const;

function nowSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}
