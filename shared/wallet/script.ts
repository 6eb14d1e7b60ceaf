/**
 * A Lua script that Redis runs as one atomic step. Called by its SHA-1; a Redis that does not know it, after a restart
 * or a failover, is sent the source.
 *
 * Keys and parameters travel as one JSON text, and so does the reply: a client spends half as much time on one long
 * string as on thirty short ones. All of them are strings, so JSON rounds nothing. Redis itself is named one key of the
 * shard, which tells a cluster where to go, and one that never exists.
 */
import { linkScript } from './link-script.ts';

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
  async run(redis: ScriptRunner, keys: readonly string[], parameters: readonly string[]): Promise<string[]> {
    const [first = ''] = keys;
    const absent = absentKey(first);
    const packed = JSON.stringify([keys, parameters]);
    try {
      return readReply(await redis.evalsha(this.#sha, 2, first, absent, packed));
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return readReply(await redis.eval(this.#source, 2, first, absent, packed));
    }
  }
}

/**
 * A key that never exists, named to each script. While a cluster moves the shard, key by key, to another master, it
 * makes both masters refuse the script (TRYAGAIN) before it begins; otherwise it could stop half done at the first key
 * that is not there.
 */
function absentKey(key: string): string {
  return `${key.slice(0, key.indexOf('}') + 1)}:absent`;
}

function readReply(reply: unknown): string[] {
  const list: unknown = typeof reply === 'string' ? JSON.parse(reply) : undefined;
  if (Array.isArray(list) && list.every((item) => typeof item === 'string')) return list;
  throw new Error('a wallet script answered something else than a list of strings');
}
