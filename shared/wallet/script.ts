/**
 * A Lua script that Redis runs as one atomic step, for one order or for many: each is carried out as if it were alone,
 * and one that fails does not keep the others from theirs. Called by its SHA-1; a Redis that does not know it, after a
 * restart or a failover, is sent the source.
 *
 * Orders travel as one JSON text, and so do the replies: a client spends half as much time on one long string as on
 * twenty short ones. All of their parts are strings, so JSON rounds nothing. The names of the keys are made by the script,
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

export interface ScriptOrder {
  readonly keys: ShardKeys;
  readonly parameters: readonly string[];
}

/** Changes a script's text before it is loaded: tests give it another clock, or take a protection out. */
export type ScriptTransform = (source: string) => string;

export class Script {
  readonly #source: string;
  readonly #sha: string;

  constructor(text: string, transform: ScriptTransform = (source) => source) {
    this.#source = transform(linkScript(text));
    this.#sha = new Bun.CryptoHasher('sha1').update(this.#source).digest('hex');
  }

  /** Makes Redis know the script before it is called for the first time. */
  async load(redis: ScriptLoader): Promise<void> {
    await redis.script('LOAD', this.#source);
  }

  /** The script's reply, a list of strings. Rejects when Redis refuses or the outcome is unknown. */
  async run(redis: ScriptRunner, keys: ShardKeys, parameters: readonly string[]): Promise<string[]> {
    const [reply] = await this.runAll(redis, [{ keys, parameters }]);
    if (reply instanceof Error) throw reply;
    return reply ?? [];
  }

  /**
   * For each order its reply, or the error with which its script ended. Rejects where Redis has refused all of them, or
   * where the outcome of all is unknown. A cluster takes orders of one shard only.
   */
  async runAll(redis: ScriptRunner, orders: readonly ScriptOrder[]): Promise<(string[] | Error)[]> {
    const [first] = orders;
    if (first === undefined) return [];
    const { meta, absent } = first.keys;
    const packed = JSON.stringify(orders.map(({ keys, parameters }) => [keys.tag, parameters]));
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

function readReplies(reply: unknown, count: number): (string[] | Error)[] {
  const replies: unknown = typeof reply === 'string' ? JSON.parse(reply) : undefined;
  if (Array.isArray(replies) && replies.length === count) return replies.map(readReply);
  throw new Error('a wallet script did not answer every order');
}

function readReply(reply: unknown): string[] | Error {
  if (Array.isArray(reply) && reply.every((item) => typeof item === 'string')) return reply;
  return new Error(
    typeof reply === 'string' ? reply : 'a wallet script answered something else than a list of strings',
  );
}
