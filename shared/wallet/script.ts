/**
 * A Lua script that Redis runs as one atomic step, for one item or many. Items are independent: one that fails does
 * not affect the others. The script is called by its SHA-1; the source is sent to a Redis that does not have it, after
 * a restart or a failover.
 *
 * Arguments and replies have names on both sides. All items of a call are one JSON list: for each the shard's tag, then
 * its arguments in the order of `wallet-scripts.ts`. The replies are one JSON text too: a client spends half as much time
 * on one long string as on twenty short ones. All numbers are strings, so JSON rounds nothing. The script builds the names
 * of its keys from the shard's tag. The call itself names two keys: one of the shard, for a cluster to route by, and one
 * that never exists.
 */
import { linkScript } from './link-script.ts';
import type { ShardKeys } from './wallet-keys.ts';

/** What a script needs of a Redis client. */
export interface ScriptRunner {
  evalsha(sha: string, keyCount: number, ...keysAndParameters: string[]): Promise<unknown>;
  eval(source: string, keyCount: number, ...keysAndParameters: string[]): Promise<unknown>;
}

/** What loading a script needs of a Redis client. */
export interface ScriptLoader {
  script(subcommand: 'LOAD', source: string): Promise<unknown>;
}

/** Undefined becomes an empty string. Numbers inside lists are passed as strings. */
export type Argument =
  | string
  | number
  | bigint
  | undefined
  | readonly string[]
  | readonly Readonly<Record<string, string>>[]
  | Readonly<Record<string, string>>;

export type Arguments<Name extends string> = { readonly [Each in Name]: Argument };

/** `status`, and the members that the script's header lists for it. */
export type Reply = { readonly status: string } & Readonly<Record<string, string>>;

/** An item in the form in which it is sent. */
export interface BatchItem {
  readonly keys: ShardKeys;
  readonly values: readonly PackedValue[];
}

type PackedValue = Exclude<Argument, number | bigint | undefined>;

/** Changes a script's source before it is loaded: tests replace its clock or remove a safeguard. */
export type ScriptTransform = (source: string) => string;

export class Script<Name extends string = string> {
  readonly #source: string;
  readonly #sha: string;
  readonly #names: readonly Name[];

  constructor(text: string, names: readonly Name[], transform: ScriptTransform = (source) => source) {
    this.#names = names;
    this.#source = transform(linkScript(text, names));
    this.#sha = new Bun.CryptoHasher('sha1').update(this.#source).digest('hex');
  }

  /** Loads the script into Redis before its first call. */
  async load(redis: ScriptLoader): Promise<void> {
    await redis.script('LOAD', this.#source);
  }

  pack(keys: ShardKeys, given: Arguments<Name>): BatchItem {
    return { keys, values: this.#names.map((name) => packValue(given[name])) };
  }

  /** Rejects if Redis refuses the call or the outcome is unknown. */
  async run(redis: ScriptRunner, keys: ShardKeys, given: Arguments<Name>): Promise<Reply> {
    const [reply] = await this.runAll(redis, [this.pack(keys, given)]);
    if (reply === undefined || reply instanceof Error) throw reply;
    return reply;
  }

  /**
   * For each item its reply, or the error that it failed with. Rejects if Redis refuses the whole call or its outcome
   * is unknown. In a cluster, all items must be for one shard.
   */
  async runAll(redis: ScriptRunner, items: readonly BatchItem[]): Promise<(Reply | Error)[]> {
    const [first] = items;
    if (first === undefined) return [];
    const { meta, absent } = first.keys;
    const packed = JSON.stringify(items.flatMap(({ keys, values }) => [keys.tag, ...values]));
    return readReplies(await this.#call(redis, [meta, absent, packed]), items.length);
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
  throw new Error('a wallet script did not return a reply to every item');
}

function readReply(reply: unknown): Reply | Error {
  if (isReply(reply)) return reply;
  return new Error(typeof reply === 'string' ? reply : 'a wallet script returned no status');
}

function isReply(reply: unknown): reply is Reply {
  return typeof reply === 'object' && reply !== null && 'status' in reply && typeof reply.status === 'string';
}
