/**
 * The one limit on work that takes more than a request should: documents that are drawn, exports, queries that read as much as an
 * account has, and changes of all its keys. A few run concurrently for an account, over all kinds together, and a few of each kind in total; some
 * more wait for a short time, and the rest is refused. The next turn goes to the account with the fewest running, so that
 * no one waits behind another account's queue.
 */
import { GatewayError } from '../../shared/errors.ts';

export const heavyKinds = ['document', 'query', 'export'] as const;
export type HeavyKind = (typeof heavyKinds)[number];

export interface HeavyTask<Kind extends string = HeavyKind> {
  readonly kind: Kind;
  readonly accountId: number;
  /** The signal of the request: a client that has disconnected waits for nothing. */
  readonly signal: AbortSignal;
}

export interface HeavyLimits<Kind extends string = HeavyKind> {
  /** What there is too much of, in messages. */
  readonly noun: string;
  /** Of an account, over all kinds. */
  readonly accountAtOnce: number;
  readonly accountWaiting: number;
  /** Of this replica. */
  readonly waiting: number;
  readonly waitMs: number;
  readonly kinds: Readonly<Record<Kind, { readonly atOnce: number; readonly accountAtOnce: number }>>;
}

export const heavyLimits: HeavyLimits = {
  noun: 'documents, exports and queries',
  accountAtOnce: 3,
  accountWaiting: 20,
  waiting: 200,
  waitMs: 5_000,
  kinds: {
    // Most are only read; those that have to be drawn wait for a thread.
    document: { atOnce: 4, accountAtOnce: 1 },
    // Fewer than there are connections to Postgres, so that other requests keep theirs. One may render ten thousand rows.
    query: { atOnce: 3, accountAtOnce: 1 },
    // They last as long as their reader takes.
    export: { atOnce: 4, accountAtOnce: 2 },
  },
};

/**
 * A change that may affect all keys of an organization locks them, and a second one would wait for that with a connection that other
 * customers need. So it waits here, and not behind what only reads: a member can be removed while exports run.
 */
export const changeLimits: HeavyLimits<'change'> = {
  noun: 'organization-wide changes',
  accountAtOnce: 1,
  accountWaiting: 20,
  waiting: 200,
  waitMs: 5_000,
  kinds: { change: { atOnce: 3, accountAtOnce: 1 } },
};

const retryAfterSeconds = 5;

/** How many of each kind. */
type Running<Kind> = ReadonlyMap<Kind, number>;

interface Waiting<Kind extends string> {
  readonly task: HeavyTask<Kind>;
  readonly begin: () => void;
}

export class HeavyWork<Kind extends string = HeavyKind> {
  readonly #limits: HeavyLimits<Kind>;
  readonly #running = new Map<Kind, number>();
  /** Only accounts that have something running. */
  readonly #accounts = new Map<number, Map<Kind, number>>();
  readonly #waiting: Waiting<Kind>[] = [];

  constructor(limits: HeavyLimits<Kind>) {
    this.#limits = limits;
  }

  /** Throws GatewayError `rate_limit_exceeded` or `overloaded`. */
  async run<Result>(task: HeavyTask<Kind>, work: () => Promise<Result>): Promise<Result> {
    const end = await this.begin(task);
    try {
      return await work();
    } finally {
      end();
    }
  }

  /** Waits for a turn. Returns what ends it, and must be called; again it does nothing. Throws as `run` does. */
  async begin(task: HeavyTask<Kind>): Promise<() => void> {
    // A client that has disconnected does not read the response; as a 4xx it is not logged as a failure.
    if (task.signal.aborted) throw tooMuchOfAccount(this.#limits);
    if (this.#hasRoom(task)) this.#start(task);
    else await this.#wait(task);
    let isEnded = false;
    return () => {
      if (isEnded) return;
      isEnded = true;
      this.#end(task);
    };
  }

  #wait(task: HeavyTask<Kind>): Promise<void> {
    const { accountWaiting, waiting, waitMs } = this.#limits;
    const ofAccount = this.#waiting.filter(({ task: { accountId } }) => accountId === task.accountId);
    if (ofAccount.length >= accountWaiting) throw tooMuchOfAccount(this.#limits);
    if (this.#waiting.length >= waiting) throw tooMuchInAll(this.#limits);
    return new Promise((resolve, reject) => {
      const stop = AbortSignal.any([task.signal, AbortSignal.timeout(waitMs)]);
      const onAbort = () => {
        this.#waiting.splice(this.#waiting.indexOf(entry), 1);
        const refusal = task.signal.aborted || this.#isAccountFull(task) ? tooMuchOfAccount : tooMuchInAll;
        reject(refusal(this.#limits));
      };
      const entry: Waiting<Kind> = {
        task,
        begin: () => {
          stop.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      this.#waiting.push(entry);
      stop.addEventListener('abort', onAbort, { once: true });
    });
  }

  #hasRoom(task: HeavyTask<Kind>): boolean {
    return countOf(this.#running, task.kind) < this.#limits.kinds[task.kind].atOnce && !this.#isAccountFull(task);
  }

  #isAccountFull({ kind, accountId }: HeavyTask<Kind>): boolean {
    const { accountAtOnce, kinds } = this.#limits;
    const running = this.#accounts.get(accountId);
    return sumOf(running) >= accountAtOnce || countOf(running, kind) >= kinds[kind].accountAtOnce;
  }

  #start({ kind, accountId }: HeavyTask<Kind>): void {
    const running = this.#accounts.get(accountId) ?? new Map<Kind, number>();
    running.set(kind, countOf(running, kind) + 1);
    this.#accounts.set(accountId, running);
    this.#running.set(kind, countOf(this.#running, kind) + 1);
  }

  #end({ kind, accountId }: HeavyTask<Kind>): void {
    const running = this.#accounts.get(accountId);
    if (running === undefined) throw new Error(`no heavy work of account ${accountId} is running`);
    running.set(kind, countOf(running, kind) - 1);
    if (sumOf(running) === 0) this.#accounts.delete(accountId);
    this.#running.set(kind, countOf(this.#running, kind) - 1);
    this.#startNext();
  }

  /** One that ends may make room for two: of its kind, and of its account. */
  #startNext(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      this.#waiting.splice(this.#waiting.indexOf(next), 1);
      this.#start(next.task);
      next.begin();
    }
  }

  #next(): Waiting<Kind> | undefined {
    const load = ({ task }: Waiting<Kind>) => sumOf(this.#accounts.get(task.accountId));
    const [first, ...others] = this.#waiting.filter(({ task }) => this.#hasRoom(task));
    return first && others.reduce((best, one) => (load(one) < load(best) ? one : best), first);
  }
}

function countOf<Kind>(running: Running<Kind> | undefined, kind: Kind): number {
  return running?.get(kind) ?? 0;
}

function sumOf<Kind>(running: Running<Kind> | undefined): number {
  return running === undefined ? 0 : running.values().reduce((sum, count) => sum + count, 0);
}

/** What `run` and `begin` may throw. */
export const heavyRefusals = (): readonly GatewayError[] => refusalsOf(heavyLimits);
export const changeRefusals = (): readonly GatewayError[] => refusalsOf(changeLimits);

type Noun = Pick<HeavyLimits, 'noun'>;

const refusalsOf = (limits: Noun) => [tooMuchOfAccount(limits), tooMuchInAll(limits)];

function tooMuchOfAccount({ noun }: Noun): GatewayError {
  const message = `This account has too many ${noun} in progress. Try again in a moment.`;
  return new GatewayError('rate_limit_exceeded', message, { retryAfterSeconds });
}

function tooMuchInAll({ noun }: Noun): GatewayError {
  const message = `Too many ${noun} are in progress. Try again in a moment.`;
  return new GatewayError('overloaded', message, { retryAfterSeconds });
}
