/** Where the response to a request is found if it is stored, and stored if it is not, and for how long. */
import type { KeyRules } from '../../../shared/keys/key-rules.ts';
import type { CachePlace } from '../../../shared/response-cache/cache-keys.ts';
import type { ResponseKeys } from './organization-keys.ts';

/** Of requests, and of responses. */
export const cacheHeader = 'x-cache';

export interface CacheUse {
  readonly place: CachePlace;
  readonly keys: ResponseKeys;
  readonly lifetimeMs: number;
  /** By which the caller was judged. Under others, it may be another one, or none. */
  readonly rules: KeyRules | undefined;
}
