/**
 * The one limit on work that takes more than a request should: documents that are drawn, exports, and queries that read as
 * much as an account has. A few run concurrently for an account, over all kinds together, and a few of each kind in total; some
 * more wait for a short time, and the rest is refused. The next turn goes to the account with the fewest running, so that
 * no one waits behind another account's queue.
 */
import { GatewayError } from '../../shared/errors.ts';

export const heavyKinds = ['document', 'query', 'export'] as const;
export type HeavyKind = (typeof heavyKinds)[number];

export interface HeavyTask {
  readonly kind: HeavyKind;
  readonly accountId: number;
  /** The signal of the request: a client that has disconnected waits for nothing. */
  readonly signal: AbortSignal;
}

export interface HeavyLimits {
  /** Of an account, over all kinds. */
  readonly accountAtOnce: number;
  readonly accountWaiting: number;
  /** Of this replica. */
  readonly waiting: number;
  readonly waitMs: number;
  readonly kinds: Readonly<Record<HeavyKind, { readonly atOnce: number; readonly accountAtOnce: number }>>;
}

export const heavyLimits: HeavyLimits = {
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

const retryAfterSeconds = 5;
const nothing = { document: 0, query: 0, export: 0 } as const;

type Running = Record<HeavyKind, number>;

interface Waiting {
  readonly task: HeavyTask;
  readonly begin: () => void;
}

export class HeavyWork {
  readonly #limits: HeavyLimits;
  readonly #running: Running = { ...nothing };
  /** Only accounts that have something running. */
  readonly #accounts = new Map<number, Running>();
  readonly #waiting: Waiting[] = [];

  constructor(limits: HeavyLimits = heavyLimits) {
    this.#limits = limits;
  }

  /** Throws GatewayError `rate_limit_exceeded` or `overloaded`. */
  async run<Result>(task: HeavyTask, work: () => Promise<Result>): Promise<Result> {
    const end = await this.begin(task);
    try {
      return await work();
    } finally {
      end();
    }
  }

  /** Waits for a turn. Returns what ends it, and must be called; again it does nothing. Throws as `run` does. */
  async begin(task: HeavyTask): Promise<() => void> {
    // A client that has disconnected does not read the response; as a 4xx it is not logged as a failure.
    if (task.signal.aborted) throw tooMuchOfAccount();
    if (this.#hasRoom(task)) this.#start(task);
    else await this.#wait(task);
    let isEnded = false;
    return () => {
      if (isEnded) return;
      isEnded = true;
      this.#end(task);
    };
  }

  #wait(task: HeavyTask): Promise<void> {
    const { accountWaiting, waiting, waitMs } = this.#limits;
    const ofAccount = this.#waiting.filter(({ task: { accountId } }) => accountId === task.accountId);
    if (ofAccount.length >= accountWaiting) throw tooMuchOfAccount();
    if (this.#waiting.length >= waiting) throw tooMuchInAll();
    return new Promise((resolve, reject) => {
      const stop = AbortSignal.any([task.signal, AbortSignal.timeout(waitMs)]);
      const onAbort = () => {
        this.#waiting.splice(this.#waiting.indexOf(entry), 1);
        reject(task.signal.aborted || this.#isAccountFull(task) ? tooMuchOfAccount() : tooMuchInAll());
      };
      const entry: Waiting = {
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

  #hasRoom(task: HeavyTask): boolean {
    return this.#running[task.kind] < this.#limits.kinds[task.kind].atOnce && !this.#isAccountFull(task);
  }

  #isAccountFull({ kind, accountId }: HeavyTask): boolean {
    const { accountAtOnce, kinds } = this.#limits;
    const running = this.#accounts.get(accountId) ?? nothing;
    return sumOf(running) >= accountAtOnce || running[kind] >= kinds[kind].accountAtOnce;
  }

  #start({ kind, accountId }: HeavyTask): void {
    const running = this.#accounts.get(accountId) ?? { ...nothing };
    running[kind] += 1;
    this.#accounts.set(accountId, running);
    this.#running[kind] += 1;
  }

  #end({ kind, accountId }: HeavyTask): void {
    const running = this.#accounts.get(accountId);
    if (running === undefined) throw new Error(`no heavy work of account ${accountId} is running`);
    running[kind] -= 1;
    if (sumOf(running) === 0) this.#accounts.delete(accountId);
    this.#running[kind] -= 1;
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

  #next(): Waiting | undefined {
    const load = ({ task }: Waiting) => sumOf(this.#accounts.get(task.accountId) ?? nothing);
    const [first, ...others] = this.#waiting.filter(({ task }) => this.#hasRoom(task));
    return first && others.reduce((best, one) => (load(one) < load(best) ? one : best), first);
  }
}

function sumOf({ document, query, export: exports }: Readonly<Running>): number {
  return document + query + exports;
}

/** What `run` and `begin` may throw. */
export const heavyRefusals = (): readonly GatewayError[] => [tooMuchOfAccount(), tooMuchInAll()];

function tooMuchOfAccount(): GatewayError {
  const message = 'This account has too many documents, exports and queries in progress. Try again in a moment.';
  return new GatewayError('rate_limit_exceeded', message, { retryAfterSeconds });
}

function tooMuchInAll(): GatewayError {
  const message = 'Too many documents, exports and queries are in progress. Try again in a moment.';
  return new GatewayError('overloaded', message, { retryAfterSeconds });
}
