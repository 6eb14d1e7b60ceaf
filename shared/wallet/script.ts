/**
 * A Lua script that Redis runs as one atomic step, for one order or for many: each is carried out as if it were alone,
 * and one that fails does not keep the others from theirs. Called by its SHA-1; a Redis that does not know it, after a
 * restart or a failover, is sent the source.
 *
 * Arguments and replies have names on both sides. Orders travel as one JSON text, their arguments in the order in which
 * the script's header names them, and so do the replies: a client spends half as much time on one long string as on
 * twenty short ones. All numbers are strings, so JSON rounds nothing. The names of the keys are made by the script,
 * from the shard's tag. Redis itself is named one key of the shard, which tells a cluster where to go, and one that
 * never exists.
 */
import { linkScript } from './link-script.ts';
import type { ShardKeys } from './wallet-keys.ts';

/** What a script needs of a Redis client. */
export interface ScriptRunner {
  evalsha(sha: string, keyCount: number, ...keysAndParameters: string[]): Promise<unknown>;
  eval(source: string, keyCount: number, ...keysAndParameters: string[]): Promise<unknown>;
}

/** What can be given a script without running it. */
export interface ScriptLoader {
  script(subcommand: 'LOAD', source: string): Promise<unknown>;
}

/** Undefined becomes an empty string. Numbers inside of lists are strings already. */
export type Argument =
  | string
  | number
  | bigint
  | undefined
  | readonly string[]
  | readonly Readonly<Record<string, string>>[]
  | Readonly<Record<string, string>>;

export type Arguments<Name extends string> = { readonly [Each in Name]: Argument };

/** `status` and what the script's header says of it. */
export type Reply = { readonly status: string } & Readonly<Record<string, string>>;

/** An order as it travels. */
export interface PackedOrder {
  readonly keys: ShardKeys;
  readonly values: readonly PackedValue[];
}

type PackedValue = Exclude<Argument, number | bigint | undefined>;

/** Changes a script's text before it is loaded: tests give it another clock, or take a protection out. */
export type ScriptTransform = (source: string) => string;

export class Script<Name extends string = string> {
  readonly #source: string;
  readonly #sha: string;
  readonly #names: readonly Name[];

  /** Throws where the script's header names other arguments. */
  constructor(text: string, names: readonly Name[], transform: ScriptTransform = (source) => source) {
    const { source, argumentNames } = linkScript(text);
    if (argumentNames.join() !== names.join()) {
      throw new Error(`a wallet script takes ${argumentNames.join(', ')}, and is given ${names.join(', ')}`);
    }
    this.#names = names;
    this.#source = transform(source);
    this.#sha = new Bun.CryptoHasher('sha1').update(this.#source).digest('hex');
  }

  /** Makes Redis know the script before it is called for the first time. */
  async load(redis: ScriptLoader): Promise<void> {
    await redis.script('LOAD', this.#source);
  }

  pack(keys: ShardKeys, given: Arguments<Name>): PackedOrder {
    return { keys, values: this.#names.map((name) => packValue(given[name])) };
  }

  /** Rejects when Redis refuses or the outcome is unknown. */
  async run(redis: ScriptRunner, keys: ShardKeys, given: Arguments<Name>): Promise<Reply> {
    const [reply] = await this.runAll(redis, [this.pack(keys, given)]);
    if (reply === undefined || reply instanceof Error) throw reply;
    return reply;
  }

  /**
   * For each order its reply, or the error with which its script ended. Rejects where Redis has refused all of them, or
   * where the outcome of all is unknown. A cluster takes orders of one shard only.
   */
  async runAll(redis: ScriptRunner, orders: readonly PackedOrder[]): Promise<(Reply | Error)[]> {
    const [first] = orders;
    if (first === undefined) return [];
    const { meta, absent } = first.keys;
    const packed = JSON.stringify(orders.map(({ keys, values }) => [keys.tag, values]));
    return readReplies(await this.#call(redis, [meta, absent, packed]), orders.length);
  }

  async #call(redis: ScriptRunner, parameters: string[]): Promise<unknown> {
    try {
      return await redis.evalsha(this.#sha, 2, ...parameters);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return redis.eval(this.#source, 2, ...parameters);
    }
  }
}

function packValue(value: Argument): PackedValue {
  if (typeof value === 'string' || typeof value === 'object') return value;
  return value === undefined ? '' : String(value);
}

function readReplies(reply: unknown, count: number): (Reply | Error)[] {
  const replies: unknown = typeof reply === 'string' ? JSON.parse(reply) : undefined;
  if (Array.isArray(replies) && replies.length === count) return replies.map(readReply);
  throw new Error('a wallet script did not answer every order');
}

function readReply(reply: unknown): Reply | Error {
  if (isReply(reply)) return reply;
  return new Error(typeof reply === 'string' ? reply : 'a wallet script answered without a status');
}

function isReply(reply: unknown): reply is Reply {
  return typeof reply === 'object' && reply !== null && 'status' in reply && typeof reply.status === 'string';
}
