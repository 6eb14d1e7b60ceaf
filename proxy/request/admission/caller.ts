/** Who sends a request: a key, and the address that it is used from. */
import type { Address } from '../../../shared/addresses/address.ts';
import type { KeyRules } from '../../../shared/keys/key-rules.ts';
import type { Shard } from '../../../shared/wallet/shard.ts';

/** Undefined if the address cannot be known. It is read only where a key has a list of allowed addresses. */
export type ReadAddress = () => Address | undefined;

export interface Caller {
  /** How Redis knows the key. */
  readonly keyHash: string;
  /** How Redis knew it at first: the same for as long as the key exists. */
  readonly firstHash: string;
  readonly shard: Shard;
  readonly accountId: number;
  readonly address: ReadAddress;
  /** That its requests were judged by last; undefined if its key has none. */
  rules: KeyRules | undefined;
}

/** What an incoming request says of its caller. */
export interface Calling {
  readonly request: Request;
  readonly address: ReadAddress;
  /** Once its key is known. Of a deferred request, from the beginning. */
  caller: Caller | undefined;
}
