/**
 * The batches of organizations, as objects, so that they need neither Postgres nor Redis:
 *
 *   batches/<account>/<batch id>,<kept until>   what the client asked for; never changes
 *   cancels/<batch id>                          it is to be cancelled
 *   terms/<batch id>/<n>                        how far it is, by the nth proxy that has taken it: the last one's counts, whatever
 *                                               an earlier one writes that was frozen
 *   queue/<account>,<batch id>                  it has not ended, so a proxy has to run it
 *   results/<batch id>/…                        what its lines have brought so far (result-log.ts)
 *   sent/<batch id>/<id>                        lines that a provider runs as a batch of its own, until it keeps nothing of them
 *
 * Ids are in the order of creation.
 */
import { type Static, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { fileLifeSeconds } from './files.ts';
import { numbered, ResultLog } from './result-log.ts';
import type { SealedObjects } from './sealed-objects.ts';

/** Unix times are in seconds. Members are only added, with defaults: another version may have written or may read it. */
const batchSchema = Type.Object({
  inputFileId: Type.String(),
  endpoint: Type.String(),
  metadata: Type.Union([Type.Null(), Type.Record(Type.String(), Type.String())]),
  createdAt: Type.Integer(),
  /** When its lines fail that have no answer yet. */
  expiresAt: Type.Integer(),
  /** How long its output and its errors are kept. */
  outputLifeSeconds: Type.Integer(),
  /** On whose behalf it is run: a key, and the address that it was used from. */
  key: Type.Object({
    hash: Type.String(),
    firstHash: Type.String(),
    shard: Type.Integer(),
    address: Type.Union([Type.Null(), Type.String()]),
  }),
});

const endings = ['completed', 'failed', 'expired', 'cancelled'] as const;
export type BatchEnding = (typeof endings)[number];
const runStatuses = ['validating', 'in_progress', 'finalizing', ...endings] as const;

const problemSchema = Type.Object({
  code: Type.String(),
  message: Type.String(),
  line: Type.Union([Type.Null(), Type.Integer()]),
  param: Type.Union([Type.Null(), Type.String()]),
});

const stateSchema = Type.Object({
  status: Type.Union(runStatuses.map((status) => Type.Literal(status))),
  /** Lines, those that were answered, and those that were not and never will be. */
  total: Type.Integer(),
  completed: Type.Integer(),
  failed: Type.Integer(),
  inProgressAt: Type.Optional(Type.Integer()),
  finalizingAt: Type.Optional(Type.Integer()),
  /** When it was completed, failed, expired or was cancelled. */
  endedAt: Type.Optional(Type.Integer()),
  /** Which of these it will be, once its files are there. */
  ending: Type.Optional(Type.Union(endings.map((status) => Type.Literal(status)))),
  outputFileId: Type.Optional(Type.String()),
  errorFileId: Type.Optional(Type.String()),
  /** Why it has failed. */
  problems: Type.Optional(Type.Array(problemSchema)),
});

const sentSchema = Type.Object({
  /** Of the catalogue. */
  deployment: Type.String(),
  /** The provider's id of its batch. */
  providerBatchId: Type.String(),
  /** Their numbers in the input. */
  lines: Type.Array(Type.Integer()),
});

const cancelSchema = Type.Object({ at: Type.Integer() });

export type BatchRequest = Readonly<Static<typeof batchSchema>>;
export type BatchState = Readonly<Static<typeof stateSchema>>;
export type SentLines = Readonly<Static<typeof sentSchema>>;
export type BatchProblem = Readonly<Static<typeof problemSchema>>;

export interface StoredSentLines extends SentLines {
  /** Of the object. */
  readonly name: string;
}

export interface ListedBatch {
  readonly id: string;
  readonly accountId: number;
}

/** By which its object is read without being looked for. */
export interface NamedBatch extends ListedBatch {
  readonly keptUntil: number;
}

export interface StoredBatch extends ListedBatch, BatchRequest {}

const checks = {
  batch: TypeCompiler.Compile(batchSchema),
  state: TypeCompiler.Compile(stateSchema),
  cancel: TypeCompiler.Compile(cancelSchema),
  sent: TypeCompiler.Compile(sentSchema),
};

/** Of a batch that no proxy has taken yet. */
export const newState: BatchState = { status: 'validating', total: 0, completed: 0, failed: 0 };
/** A batch is kept as long as a file. */
const batchLifeSeconds = fileLifeSeconds;

export class Batches {
  readonly #objects: SealedObjects;
  /** By account, what the next one waits for. */
  readonly #turns = new Map<number, Promise<unknown>>();

  constructor(objects: SealedObjects) {
    this.#objects = objects;
  }

  /** Of one organization, one call at a time: what it has is counted, and added to, in one step. Other replicas do not wait. */
  async inTurn<Result>(accountId: number, work: () => Promise<Result>): Promise<Result> {
    const turn = (this.#turns.get(accountId) ?? Promise.resolve()).then(work, work);
    this.#turns.set(accountId, turn);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(accountId) === turn) this.#turns.delete(accountId);
    }
  }

  /** If it rejects, there is no batch: clients repeat what has failed. */
  async create(accountId: number, request: BatchRequest): Promise<StoredBatch> {
    const batch = { ...request, id: `batch_${Bun.randomUUIDv7().replaceAll('-', '')}`, accountId };
    const names = [
      objectName({ ...batch, keptUntil: request.createdAt + batchLifeSeconds }),
      queueName(batch),
    ] as const;
    try {
      await this.#objects.writeText(names[0], JSON.stringify(request));
      await this.#objects.writeText(names[1], '{}');
    } catch (error) {
      // Either may have been written. What arrives later in the queue alone is removed from it by the proxy that looks for its batch.
      await Promise.all(names.map((name) => this.#objects.remove(name).catch(() => {})));
      throw error;
    }
    return batch;
  }

  /** In the order of creation. */
  async list(accountId: number): Promise<NamedBatch[]> {
    return (await this.#objects.list(`batches/${accountId}/`)).flatMap((name) => readName(name) ?? []);
  }

  /** Undefined if there is none, or none any more. */
  async find({ accountId, id }: ListedBatch): Promise<StoredBatch | undefined> {
    if (!/^batch_[0-9a-f]{32}$/.test(id)) return undefined;
    const [name = ''] = await this.#objects.list(`batches/${accountId}/${id},`);
    const named = readName(name);
    return named && this.read(named);
  }

  /** Undefined if it is not there any more. */
  async read(named: NamedBatch): Promise<StoredBatch | undefined> {
    const request = await this.#read(objectName(named), 'batch');
    return request && { ...request, id: named.id, accountId: named.accountId };
  }

  async readState({ id }: ListedBatch): Promise<BatchState> {
    const last = (await this.#objects.list(`terms/${id}/`)).at(-1);
    return (last === undefined ? undefined : await this.#read(last, 'state')) ?? newState;
  }

  /** `term` is of the log that was taken with the batch. If it rejects, the state may still arrive: nothing may follow in this term. */
  writeState({ id }: ListedBatch, { term, state }: { term: number; state: BatchState }): Promise<void> {
    return this.#objects.writeText(`terms/${id}/${numbered(term)}`, JSON.stringify(state));
  }

  /** Does nothing if it is asked for again. */
  async cancel(batch: ListedBatch, at: number): Promise<void> {
    if ((await this.cancelledAt(batch)) === undefined) {
      await this.#objects.writeText(`cancels/${batch.id}`, JSON.stringify({ at }));
    }
  }

  /** When it was asked to be cancelled; undefined if it was not. */
  async cancelledAt({ id }: ListedBatch): Promise<number | undefined> {
    return (await this.#read(`cancels/${id}`, 'cancel'))?.at;
  }

  /** Of any organization, in the order of creation. */
  async listUnfinished(accountId?: number): Promise<ListedBatch[]> {
    const names = await this.#objects.list(accountId === undefined ? 'queue/' : `queue/${accountId},`);
    const batches = names.flatMap((name) => {
      const [, account, id = ''] = /^queue\/(\d+),(batch_[0-9a-f]{32})$/.exec(name) ?? [];
      return account === undefined ? [] : [{ id, accountId: Number(account) }];
    });
    return batches.sort((one, other) => (one.id < other.id ? -1 : 1));
  }

  /** Takes the log of its results, from the proxy that had it. */
  takeLog({ id }: ListedBatch): Promise<ResultLog> {
    return ResultLog.take(this.#objects, id);
  }

  async writeSent({ id }: ListedBatch, sent: SentLines): Promise<void> {
    await this.#objects.writeText(`sent/${id}/${crypto.randomUUID()}`, JSON.stringify(sent));
  }

  async listSent({ id }: ListedBatch): Promise<StoredSentLines[]> {
    return this.#readSent(await this.#objects.list(`sent/${id}/`));
  }

  /** Of batches that have ended: providers still keep them, or did when a proxy died. */
  async listSentOfEnded(): Promise<StoredSentLines[]> {
    const names = await this.#objects.list('sent/');
    // Listed later, so that a batch is among them whose lines have just been sent.
    const unfinished = new Set(names.length === 0 ? [] : (await this.listUnfinished()).map(({ id }) => id));
    return this.#readSent(names.filter((name) => !unfinished.has(name.split('/')[1] ?? '')));
  }

  /** Its provider keeps nothing of it. */
  async removeSent({ name }: Pick<StoredSentLines, 'name'>): Promise<void> {
    await this.#objects.remove(name);
  }

  /** Its state says how it has ended. */
  async finish(batch: ListedBatch): Promise<void> {
    await this.#removeAll(`results/${batch.id}/`);
    await this.#objects.remove(queueName(batch));
  }

  /** Removes batches that were kept long enough. Any number of replicas may do it at the same time. */
  async sweep(nowMs: number): Promise<void> {
    for (const name of await this.#objects.list('batches/')) {
      const batch = readName(name);
      if (batch === undefined || batch.keptUntil * 1_000 > nowMs) continue;
      await this.finish(batch);
      for (const folder of ['sent', 'terms']) await this.#removeAll(`${folder}/${batch.id}/`);
      for (const other of [`cancels/${batch.id}`, name]) await this.#objects.remove(other);
    }
  }

  async #readSent(names: readonly string[]): Promise<StoredSentLines[]> {
    const sent: StoredSentLines[] = [];
    for (const name of names) {
      const lines = await this.#read(name, 'sent');
      if (lines !== undefined) sent.push({ ...lines, name });
    }
    return sent;
  }

  async #removeAll(prefix: string): Promise<void> {
    for (const name of await this.#objects.list(prefix)) await this.#objects.remove(name);
  }

  async #read<Kind extends keyof typeof checks>(name: string, kind: Kind): Promise<Read<Kind> | undefined> {
    const text = await this.#objects.readText(name);
    if (text === undefined) return undefined;
    const value: unknown = JSON.parse(text);
    if (!checks[kind].Check(value)) throw new Error(`${name} cannot be read`);
    return value as Read<Kind>;
  }
}

type Read<Kind extends keyof typeof checks> = {
  readonly batch: BatchRequest;
  readonly state: BatchState;
  readonly cancel: Static<typeof cancelSchema>;
  readonly sent: SentLines;
}[Kind];

export function isFinal({ status }: BatchState): boolean {
  return endings.some((ending) => ending === status);
}

/** Unix time in milliseconds, with which its id begins (UUIDv7). */
export function createdAtMsOf({ id }: Pick<ListedBatch, 'id'>): number {
  return Number.parseInt(id.slice('batch_'.length, 'batch_'.length + 12), 16);
}

function queueName({ accountId, id }: ListedBatch): string {
  return `queue/${accountId},${id}`;
}

function objectName({ accountId, id, keptUntil }: NamedBatch): string {
  return `batches/${accountId}/${id},${keptUntil}`;
}

/** The inverse. */
function readName(name: string): NamedBatch | undefined {
  const [, account, id = '', keptUntil] = /^batches\/(\d+)\/(batch_[0-9a-f]{32}),(\d+)$/.exec(name) ?? [];
  return account === undefined ? undefined : { id, accountId: Number(account), keptUntil: Number(keptUntil) };
}
