/**
 * The lists of addresses from which a key may be used: that of its organization and its own. An address must be in each of them.
 */
import type { Address } from '../addresses/address.ts';
import { isWithin, type Network, parseNetwork } from '../addresses/network.ts';
import type { RuleOwner } from './rule-owners.ts';

export interface AddressList {
  readonly owner: RuleOwner;
  readonly networks: readonly Network[];
}

/** As it was published. Nothing is within an entry, or a list, that cannot be read. */
export function readAddressList(owner: RuleOwner, entries: unknown): AddressList {
  return { owner, networks: Array.isArray(entries) ? networksOf(entries) : [] };
}

/** Whose list is the first that the address is not in; undefined if it is in all of them. */
export function refusingList(lists: readonly AddressList[], address: Address): RuleOwner | undefined {
  return lists.find(({ networks }) => !networks.some((network) => isWithin(address, network)))?.owner;
}

function networksOf(entries: readonly unknown[]): Network[] {
  return entries.flatMap((entry) => (typeof entry === 'string' ? (parseNetwork(entry) ?? []) : []));
}
