/**
 * The lists of addresses from which a key may be used, as they are published with it: that of its organization and its own.
 * An address must be in each of them. They have a mark, by which programs tell whether they mean the same lists.
 */
import { isObject } from '../members.ts';
import { readJson } from '../read-json.ts';
import type { Address } from './address.ts';
import { isWithin, type Network, parseNetwork } from './network.ts';

/** Whose list it is, in the order in which they are judged. */
const listOwners = ['organization', 'key'] as const;
export type ListOwner = (typeof listOwners)[number];

/** Null if any address is allowed. */
export type AddressEntries = Readonly<Record<ListOwner, readonly string[] | null>>;

export interface PublishedAddresses {
  /** Empty if there is no list. */
  readonly mark: string;
  /** JSON; empty if there is no list. */
  readonly text: string;
}

/** Lists to judge by. */
export interface AddressLists {
  readonly mark: string;
  readonly lists: readonly { readonly owner: ListOwner; readonly networks: readonly Network[] }[];
}

const markLength = 16;
const none: PublishedAddresses = { mark: '', text: '' };

export function encodeAddressLists(entries: AddressEntries): PublishedAddresses {
  const given = listOwners.filter((owner) => entries[owner] !== null);
  if (given.length === 0) return none;
  const text = JSON.stringify(Object.fromEntries(given.map((owner) => [owner, entries[owner]])));
  const digest = new Bun.CryptoHasher('sha256').update(text).digest('base64url');
  return { mark: digest.slice(0, markLength), text };
}

/** Undefined if there is no list. Nothing is within an entry, or a list, that cannot be read. */
export function decodeAddressLists({ mark, text }: PublishedAddresses): AddressLists | undefined {
  if (mark === '') return undefined;
  const published = readJson(text);
  const members = isObject(published) ? published : { organization: [] };
  const lists = listOwners.flatMap((owner) => {
    const entries = members[owner];
    return entries === undefined ? [] : [{ owner, networks: Array.isArray(entries) ? networksOf(entries) : [] }];
  });
  return { mark, lists };
}

/** The first list that the address is not in; undefined if it is in all of them. */
export function refusingList({ lists }: AddressLists, address: Address): ListOwner | undefined {
  return lists.find(({ networks }) => !networks.some((network) => isWithin(address, network)))?.owner;
}

function networksOf(entries: readonly unknown[]): Network[] {
  return entries.flatMap((entry) => (typeof entry === 'string' ? (parseNetwork(entry) ?? []) : []));
}
