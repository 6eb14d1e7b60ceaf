/**
 * The key that the playground sends requests with. It is made when it is needed, and is only in the memory of the session's tabs,
 * which share it, because a new one replaces the former. The server deletes it with the session.
 */
import { api, call } from '../../app/api/api.ts';
import { isSamePlace, type Place, placeOf } from '../../app/session/place.ts';
import { session } from '../../app/session/session.ts';
import type { paths } from '../../generated/api.ts';

export type PlaygroundKey = paths['/api/playground-key']['post']['responses'][201]['content']['application/json'];

/**
 * What tabs tell each other. Who has made a key tells the others, which use it from then on. A tab that was opened later asks,
 * and who has another key than the refused one responds with it.
 */
type Message =
  | { readonly kind: 'wanted'; readonly place: Place; readonly refusedId: number | undefined }
  | { readonly kind: 'found'; readonly place: Place; readonly key: PlaygroundKey };

const channel = new BroadcastChannel('gateway.playground-key');
/** In which another tab responds. */
const responseMs = 100;
/** A request that is sent with the key should not meet its expiry. */
const expiryMarginMs = 60_000;

export class PlaygroundKeyring {
  #key: Promise<PlaygroundKey> | undefined;
  /** The same, once it is there. */
  #ready: PlaygroundKey | undefined;
  #refusedId: number | undefined;

  constructor() {
    channel.addEventListener('message', ({ data }: MessageEvent<Message>) => this.#hear(data));
  }

  /** Requests that begin together use one key. */
  async current(): Promise<PlaygroundKey> {
    this.#key ??= this.#obtain();
    const key = await this.#key;
    if (isFresh(key)) return key;
    await this.forget(key);
    return this.current();
  }

  /** The next request uses another key, unless one has already seen to that. */
  async forget(refused: PlaygroundKey): Promise<void> {
    const key = this.#key;
    if ((await key)?.id === refused.id && this.#key === key) this.replace();
  }

  /** The next request uses another key. */
  replace(): void {
    this.#refusedId = this.#ready?.id;
    this.#key = undefined;
    this.#ready = undefined;
  }

  /** The session has ended. */
  clear(): void {
    this.replace();
    this.#refusedId = undefined;
  }

  #obtain(): Promise<PlaygroundKey> {
    const key = this.#findOrCreate();
    key.then(
      (ready) => {
        if (this.#key === key) this.#ready = ready;
      },
      () => {
        if (this.#key === key) this.#key = undefined;
      },
    );
    return key;
  }

  async #findOrCreate(): Promise<PlaygroundKey> {
    const found = await askOtherTabs(this.#refusedId);
    if (found !== undefined) return found;
    const place = placeOfTab();
    const key = await call(api.POST('/api/playground-key'));
    if (place === undefined) return key;
    tell({ kind: 'found', place, key });
    const here = placeOfTab();
    // Another tab may have made one in the meantime.
    return here !== undefined && isSamePlace(here, place) ? this.#adopt(key) : key;
  }

  #hear(message: Message): void {
    const place = placeOfTab();
    if (place === undefined || !isSamePlace(place, message.place)) return;
    if (message.kind === 'found') this.#adopt(message.key);
    else this.#respond(place, message.refusedId);
  }

  #respond(place: Place, refusedId: number | undefined): void {
    const key = this.#ready;
    if (key !== undefined && key.id !== refusedId && isFresh(key)) tell({ kind: 'found', place, key });
  }

  /** Of two keys that were made at the same time, the second one has replaced the first. Returns the second one. */
  #adopt(key: PlaygroundKey): PlaygroundKey {
    if (key.id > (this.#ready?.id ?? this.#refusedId ?? 0)) {
      this.#key = Promise.resolve(key);
      this.#ready = key;
    }
    return this.#ready ?? key;
  }
}

/** The key of another tab of the session; undefined if there is none. */
function askOtherTabs(refusedId: number | undefined): Promise<PlaygroundKey | undefined> {
  const place = placeOfTab();
  if (place === undefined) return Promise.resolve(undefined);
  const { promise, resolve } = Promise.withResolvers<PlaygroundKey | undefined>();
  const listen = ({ data }: MessageEvent<Message>) => {
    if (data.kind === 'found' && data.key.id !== refusedId && isSamePlace(place, data.place)) resolve(data.key);
  };
  channel.addEventListener('message', listen);
  const timer = setTimeout(() => resolve(undefined), responseMs);
  tell({ kind: 'wanted', place, refusedId });
  return promise.finally(() => {
    clearTimeout(timer);
    channel.removeEventListener('message', listen);
  });
}

function tell(message: Message): void {
  channel.postMessage(message);
}

function placeOfTab(): Place | undefined {
  const state = session.state();
  return state.status === 'signedIn' ? placeOf(state) : undefined;
}

function isFresh({ expiresAt }: PlaygroundKey): boolean {
  return Date.parse(expiresAt) - expiryMarginMs > Date.now();
}
