/**
 * Runs batches in this proxy: looks for unfinished ones, takes those that no other proxy has, and gives them up when it shuts down
 * or cannot continue, for the next one.
 */
import { monotonicMs } from '../../shared/durations.ts';
import type { ProxyServices } from '../request/services.ts';
import { createdAtMsOf, type ListedBatch, type StoredBatch } from '../storage/batches.ts';
import { BatchLease } from '../storage/lease/batch-lease.ts';
import type { Storage } from '../storage/storage.ts';
import { ProviderRoom } from './at-provider/provider-room.ts';
import { removeSentOfEnded } from './at-provider/remove-sent.ts';
import { BatchRun } from './batch-run.ts';
import { Slots } from './slots.ts';

const lookEveryMs = 1_000;
/** Between two looks at what providers keep of batches that have ended. */
const removeEveryMs = 15 * 60_000;
/** Lines may wait for hours: so that no organization's batches keep out those of another, each may have one beyond the usual number. */
const runsMax = { usual: 8, all: 32 } as const;
/** Of all batches of this process. */
const roomAtProviders = { lines: 10_000, bytes: 32 * 1024 * 1024 } as const;
/** For what providers have brought and is not stored, of all batches of this process. */
const roomForResponses = { lines: 1_000, bytes: 64 * 1024 * 1024 } as const;
/** Before a batch is tried again that another proxy has, or that could not be continued. */
const pauseMs = { taken: 5_000, interrupted: 15_000 } as const;

export interface RunningBatches {
  /** Begins no further lines. */
  release(): void;
  /** Resolves once nothing of a batch is in flight, and other proxies may continue. Never rejects. */
  ended(): Promise<void>;
}

interface Run {
  readonly run: BatchRun;
  readonly ended: Promise<void>;
  readonly accountId: number;
}

export function startBatches(services: ProxyServices, storage: Storage, concurrency: number): RunningBatches {
  const runner = new BatchRunner(services, storage, concurrency);
  runner.start();
  return runner;
}

class BatchRunner implements RunningBatches {
  readonly #services: ProxyServices;
  readonly #storage: Storage;
  readonly #slots: Slots;
  readonly #room = new ProviderRoom(roomAtProviders);
  readonly #responseRoom = new ProviderRoom(roomForResponses);
  readonly #runs = new Map<string, Run>();
  /** Monotonic, by batch: when it may be tried again. */
  readonly #pauses = new Map<string, number>();
  /** Of batches that are taken and may not be run yet. */
  readonly #leases = new Map<string, BatchLease>();
  #timer: Timer | undefined;
  /** Undefined while it does not look. Never rejects. */
  #looking: Promise<void> | undefined;
  /** Monotonic: not before a failure has had time to pass. */
  #looksAtMs = 0;
  /** Monotonic. */
  #removesAtMs = 0;
  #isReleased = false;

  constructor(services: ProxyServices, storage: Storage, concurrency: number) {
    this.#services = services;
    this.#storage = storage;
    const { settlement, batchMetrics } = services;
    const interactive = () => Math.max(0, settlement.running.size - this.#requests);
    this.#slots = new Slots({ max: concurrency, interactive });
    batchMetrics.inFlight = () => {
      const { lines: provider } = this.#room;
      return { batches: this.#runs.size, here: Math.max(0, this.#requests - provider), provider };
    };
  }

  get #requests(): number {
    return [...this.#runs.values()].reduce((sum, { run }) => sum + run.requests, 0);
  }

  start(): void {
    this.#timer = setInterval(() => {
      if (monotonicMs() < this.#looksAtMs) return;
      this.#looking ??= this.#look().finally(() => {
        this.#looking = undefined;
      });
    }, lookEveryMs);
  }

  release(): void {
    this.#isReleased = true;
    clearInterval(this.#timer);
    for (const { run } of this.#runs.values()) run.release();
  }

  async ended(): Promise<void> {
    await this.#looking;
    await Promise.all([...this.#runs.values()].map(({ ended }) => ended));
    await Promise.all([...this.#leases.values()].map((lease) => lease.free().catch(() => {})));
    this.#slots.stop();
  }

  async #look(): Promise<void> {
    try {
      const unfinished = await this.#storage.batches.listUnfinished();
      this.#forgetOthers(unfinished);
      this.#services.batchMetrics.oldestAtMs = unfinished[0] && createdAtMsOf(unfinished[0]);
      for (const batch of this.#inTurn(unfinished)) {
        if (this.#isReleased) break;
        if (this.#mayRun(batch)) await this.#take(batch);
      }
      this.#removeSent();
    } catch (error) {
      this.#looksAtMs = monotonicMs() + pauseMs.interrupted;
      this.#services.batchMetrics.failures.look += 1;
      this.#services.log.warn({ err: error }, 'batches could not be looked for');
    }
  }

  /** Providers may take long, and no batch waits for it. */
  #removeSent(): void {
    const { catalogue, log } = this.#services;
    if (monotonicMs() < this.#removesAtMs || catalogue.current() === undefined) return;
    this.#removesAtMs = monotonicMs() + removeEveryMs;
    removeSentOfEnded({ services: this.#services, batches: this.#storage.batches }).catch((error: unknown) =>
      log.warn({ err: error }, 'what providers keep of batches could not be looked for'),
    );
  }

  /** What ended, here or elsewhere, is not looked for again. */
  #forgetOthers(unfinished: readonly ListedBatch[]): void {
    const known = new Set(unfinished.map(({ id }) => id));
    for (const id of this.#pauses.keys()) {
      if (known.has(id) || this.#runs.has(id)) continue;
      this.#pauses.delete(id);
      this.#leases.delete(id);
    }
  }

  /** Those that may be taken, the oldest first, and first those of organizations of which the fewest run. */
  #inTurn(unfinished: readonly ListedBatch[]): ListedBatch[] {
    const nowMs = monotonicMs();
    const runsOf = new Map<number, number>();
    for (const { accountId } of this.#runs.values()) runsOf.set(accountId, (runsOf.get(accountId) ?? 0) + 1);
    return unfinished
      .filter(({ id }) => !this.#runs.has(id) && (this.#pauses.get(id) ?? 0) <= nowMs)
      .sort((one, other) => (runsOf.get(one.accountId) ?? 0) - (runsOf.get(other.accountId) ?? 0));
  }

  #mayRun({ accountId }: ListedBatch): boolean {
    const { size } = this.#runs;
    if (size < runsMax.usual) return true;
    return size < runsMax.all && ![...this.#runs.values()].some((run) => run.accountId === accountId);
  }

  async #take(batch: ListedBatch): Promise<void> {
    const lease = this.#leases.get(batch.id) ?? new BatchLease(this.#services.redis, batch.id);
    const waitMs = await lease.take();
    if (waitMs !== undefined && waitMs > 0) this.#leases.set(batch.id, lease);
    else this.#leases.delete(batch.id);
    if (waitMs === undefined) this.#pauses.set(batch.id, monotonicMs() + pauseMs.taken);
    else if (waitMs > 0) this.#pauses.set(batch.id, monotonicMs() + Math.min(waitMs, pauseMs.taken));
    else await this.#start(batch, lease);
  }

  async #start(listed: ListedBatch, lease: BatchLease): Promise<void> {
    const { batches } = this.#storage;
    let isRun = false;
    try {
      const batch = await batches.find(listed);
      if (batch === undefined) await batches.finish(listed);
      else if (!this.#isReleased) {
        this.#run(batch, lease);
        isRun = true;
      }
    } finally {
      if (!isRun) await lease.free();
    }
  }

  #run(batch: StoredBatch, lease: BatchLease): void {
    const [services, storage] = [this.#services, this.#storage];
    const rooms = { slots: this.#slots, room: this.#room, responseRoom: this.#responseRoom };
    const run = new BatchRun({ services, storage, batch, lease, ...rooms });
    const { id, accountId } = batch;
    const ended = run
      .run()
      .then(
        () => run.isBroken,
        (error: unknown) => {
          services.log.warn({ batch: id, err: error }, 'a batch was interrupted');
          return true;
        },
      )
      .then((isBroken) => {
        if (isBroken) services.batchMetrics.failures.run += 1;
      })
      .then(() => lease.free())
      .catch(() => {})
      .finally(() => {
        this.#runs.delete(id);
        this.#pauses.set(id, monotonicMs() + pauseMs.interrupted);
      });
    this.#runs.set(id, { run, ended, accountId });
  }
}
