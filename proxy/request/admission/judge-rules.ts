/**
 * Whether a key may be used from the address that a request comes from, and which providers may see its requests. Only of keys
 * with a list of addresses is the address read at all.
 *
 * The rules are judged in this process, as they were known last; the scripts of the wallet compare only their mark, and return
 * those that are in force if these are others. A lease knows the mark too, and a change of the rules recalls it. So a change is
 * effective everywhere as soon as it is published, and a request of a key without rules compares two empty texts.
 */
import { type Address, formatAddress } from '../../../shared/addresses/address.ts';
import { GatewayError } from '../../../shared/errors.ts';
import { refusingList } from '../../../shared/keys/address-lists.ts';
import { decodeKeyRules, type KeyRules, type PublishedRules } from '../../../shared/keys/key-rules.ts';
import type { RuleOwner } from '../../../shared/keys/rule-owners.ts';
import type { ProxyServices } from '../services.ts';
import type { Caller, ReadAddress } from './caller.ts';

/** How many different rules are kept apart for all keys that have the same. */
const rulesMax = 1_000;
const recent = new Map<string, KeyRules>();

/** As they are judged. Keys of one organization mostly share them. */
export function readRules(published: PublishedRules): KeyRules | undefined {
  const known = recent.get(published.mark);
  if (known !== undefined) return known;
  const rules = decodeKeyRules(published);
  if (rules === undefined) return undefined;
  if (recent.size >= rulesMax) recent.clear();
  recent.set(rules.mark, rules);
  return rules;
}

export function isAllowed({ addresses }: KeyRules, from: ReadAddress): boolean {
  if (addresses.length === 0) return true;
  const address = from();
  return address !== undefined && refusingList(addresses, address) === undefined;
}

/** Throws GatewayError `address_not_allowed`. */
export function checkAddress(rules: KeyRules | undefined, from: ReadAddress): void {
  if (rules === undefined || rules.addresses.length === 0) return;
  const address = from();
  if (address === undefined) throw addressUnknown();
  const owner = refusingList(rules.addresses, address);
  if (owner !== undefined) throw addressNotAllowed(address, owner);
}

/** The rules have changed since the caller was judged by them. Throws GatewayError `address_not_allowed`. */
export function judgeAgain({ knownKeys }: ProxyServices, caller: Caller, published: PublishedRules): void {
  const rules = readRules(published);
  knownKeys.learnRules(caller.keyHash, rules);
  checkAddress(rules, caller.address);
  caller.rules = rules;
}

const whose: Readonly<Record<RuleOwner, string>> = {
  organization: 'the organization of this API key',
  key: 'this API key',
};

function addressNotAllowed(address: Address, owner: RuleOwner): GatewayError {
  return new GatewayError(
    'address_not_allowed',
    `The request comes from ${formatAddress(address)}, which is not among the allowed IP addresses of ${whose[owner]}.`,
  );
}

function addressUnknown(): GatewayError {
  return new GatewayError(
    'address_not_allowed',
    'This API key may only be used from certain IP addresses, and the gateway cannot tell where the request comes from. ' +
      'Its operator has to check TRUSTED_PROXY_HOPS, and X-Forwarded-For of the load balancer.',
  );
}
