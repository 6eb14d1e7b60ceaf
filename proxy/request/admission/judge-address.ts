/**
 * Whether a key may be used from the address that a request comes from. Only of keys with a list of addresses is the address
 * read at all.
 *
 * The lists are judged in this process, as they were known last; the scripts of the wallet compare only their mark, and return
 * those that are in force if these are others. A lease knows the mark too, and a change of the lists recalls it. So a change is
 * effective everywhere as soon as it is published, and a request of a key without a list compares two empty texts.
 */
import { type Address, formatAddress } from '../../../shared/addresses/address.ts';
import {
  type AddressLists,
  decodeAddressLists,
  type ListOwner,
  type PublishedAddresses,
  refusingList,
} from '../../../shared/addresses/address-lists.ts';
import { GatewayError } from '../../../shared/errors.ts';
import type { ProxyServices } from '../services.ts';
import type { Caller, ReadAddress } from './caller.ts';

/** How many different lists are kept apart for all keys that have the same. */
const listsMax = 1_000;
const recent = new Map<string, AddressLists>();

/** As they are judged. Keys of one organization mostly share them. */
export function readLists(published: PublishedAddresses): AddressLists | undefined {
  const known = recent.get(published.mark);
  if (known !== undefined) return known;
  const lists = decodeAddressLists(published);
  if (lists === undefined) return undefined;
  if (recent.size >= listsMax) recent.clear();
  recent.set(lists.mark, lists);
  return lists;
}

export function isAllowed(lists: AddressLists, address: Address | undefined): boolean {
  return address !== undefined && refusingList(lists, address) === undefined;
}

/** Throws GatewayError `address_not_allowed`. */
export function checkAddress(lists: AddressLists | undefined, address: ReadAddress): void {
  if (lists === undefined) return;
  const from = address();
  if (from === undefined) throw addressUnknown();
  const owner = refusingList(lists, from);
  if (owner !== undefined) throw addressNotAllowed(from, owner);
}

/** The lists have changed since the caller was judged by them. Throws GatewayError `address_not_allowed`. */
export function judgeAgain({ knownKeys }: ProxyServices, caller: Caller, published: PublishedAddresses): void {
  const lists = readLists(published);
  knownKeys.learnAddresses(caller.keyHash, lists);
  checkAddress(lists, caller.address);
  caller.addressesMark = published.mark;
}

const whose: Readonly<Record<ListOwner, string>> = {
  organization: 'the organization of this API key',
  key: 'this API key',
};

function addressNotAllowed(address: Address, owner: ListOwner): GatewayError {
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
