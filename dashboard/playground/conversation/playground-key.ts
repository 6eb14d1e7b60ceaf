/**
 * The key that the playground sends requests with. It is made when it is needed and is only in this tab's memory; the
 * server deletes it with the session.
 */
import { api, call } from '../../app/api/api.ts';
import type { paths } from '../../generated/api.ts';

export type PlaygroundKey = paths['/api/playground-key']['post']['responses'][201]['content']['application/json'];

/** A request that is sent with the key should not meet its expiry. */
const expiryMarginMs = 60_000;

export class PlaygroundKeyring {
  #key: Promise<PlaygroundKey> | undefined;

  /** Requests that begin together use one key, because a new one replaces the former. */
  async current(): Promise<PlaygroundKey> {
    this.#key ??= this.#create();
    const key = await this.#key;
    if (Date.parse(key.expiresAt) - expiryMarginMs > Date.now()) return key;
    await this.forget(key);
    return this.current();
  }

  /** The next request uses a new key, unless another request has already seen to that. */
  async forget(refused: PlaygroundKey): Promise<void> {
    const key = this.#key;
    if ((await key)?.id === refused.id && this.#key === key) this.#key = undefined;
  }

  clear(): void {
    this.#key = undefined;
  }

  #create(): Promise<PlaygroundKey> {
    const key = call(api.POST('/api/playground-key'));
    key.catch(() => {
      if (this.#key === key) this.#key = undefined;
    });
    return key;
  }
}
