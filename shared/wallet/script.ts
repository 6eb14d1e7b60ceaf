/**
 * A Lua script that Redis runs as one atomic step. Called by its SHA-1; a Redis that does not know it, after a restart
 * or a failover, is sent the source.
 *
 * Parameters travel as one JSON text, and so does the reply: a client spends half as much time on one long string as on
 * twenty short ones. All of them are strings, so JSON rounds nothing. The names of the keys are made by the script, from
 * the shard's tag. Redis itself is named one key of the shard, which tells a cluster where to go, and one that never
 * exists.
 */
import { linkScript } from './link-script.ts';
import type { ShardKeys } from './wallet-keys.ts';

/** What a script needs of a Redis client. */
export interface ScriptRunner {
  evalsha(sha: string, keyCount: number, ...keysAndParameters: string[]): Promise<unknown>;
  eval(source: string, keyCount: number, ...keysAndParameters: string[]): Promise<unknown>;
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

  /** The script's reply, a list of strings. Rejects when Redis refuses or the outcome is unknown. */
  async run(redis: ScriptRunner, { meta, absent }: ShardKeys, parameters: readonly string[]): Promise<string[]> {
    const packed = JSON.stringify(parameters);
    try {
      return readReply(await redis.evalsha(this.#sha, 2, meta, absent, packed));
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return readReply(await redis.eval(this.#source, 2, meta, absent, packed));
    }
  }
}

function readReply(reply: unknown): string[] {
  const list: unknown = typeof reply === 'string' ? JSON.parse(reply) : undefined;
  if (Array.isArray(list) && list.every((item) => typeof item === 'string')) return list;
  throw new Error('a wallet script answered something else than a list of strings');
}
