/** The published lists of allowed addresses: both apply, and what cannot be read allows nothing. */
import { expect, test } from 'bun:test';
import { parseAddress } from '../../../shared/addresses/address.ts';
import {
  type AddressEntries,
  decodeAddressLists,
  encodeAddressLists,
  refusingList,
} from '../../../shared/addresses/address-lists.ts';

const office = ['203.0.113.0/24', '2001:db8::/32'];

function refuses(entries: AddressEntries, text: string) {
  const lists = decodeAddressLists(encodeAddressLists(entries));
  const address = parseAddress(text);
  if (address === undefined) throw new Error(`${text} is not read`);
  return lists && refusingList(lists, address);
}

test('no list has no mark and nothing to judge by', () => {
  const published = encodeAddressLists({ organization: null, key: null });
  expect(published).toEqual({ mark: '', text: '' });
  expect(decodeAddressLists(published)).toBeUndefined();
});

test('an address must be in the list of the organization and in that of the key', () => {
  const both = { organization: office, key: ['203.0.113.7'] };
  expect(refuses(both, '203.0.113.7')).toBeUndefined();
  expect(refuses(both, '203.0.113.8')).toBe('key');
  expect(refuses(both, '198.51.100.7')).toBe('organization');
  expect(refuses({ organization: null, key: ['198.51.100.7'] }, '198.51.100.7')).toBeUndefined();
  expect(refuses({ organization: office, key: null }, '2001:db8:1::1')).toBeUndefined();
});

test('the same lists have the same mark, and others another, also if they change sides', () => {
  const markOf = (entries: AddressEntries) => encodeAddressLists(entries).mark;
  const mark = markOf({ organization: office, key: null });
  expect(markOf({ organization: [...office], key: null })).toBe(mark);
  expect(markOf({ organization: null, key: office })).not.toBe(mark);
  expect(markOf({ organization: office, key: office })).not.toBe(mark);
});

test.each(['', 'nonsense', '[]', '{"organization":"203.0.113.0/24"}', '{"key":[7,null,"203.0.113.0/99"]}'])(
  'lists that another version wrote as %p allow no address',
  (text) => {
    const lists = decodeAddressLists({ mark: 'x', text });
    expect(lists && refusingList(lists, parseAddress('203.0.113.7') ?? [])).toBeDefined();
  },
);

test('members of a later version are ignored', () => {
  const lists = decodeAddressLists({ mark: 'x', text: '{"project":[],"key":["203.0.113.7"]}' });
  expect(lists && refusingList(lists, parseAddress('203.0.113.7') ?? [])).toBeUndefined();
});
