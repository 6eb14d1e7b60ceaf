/** The published rules of a key: those of both owners apply, and what cannot be read allows nothing. */
import { describe, expect, test } from 'bun:test';
import { parseAddress } from '../../../shared/addresses/address.ts';
import { refusingList } from '../../../shared/keys/address-lists.ts';
import { type DataPolicy, type DeploymentFacts, unmetDemand } from '../../../shared/keys/data-policy.ts';
import { decodeKeyRules, encodeKeyRules, noRules, type RuleEntries } from '../../../shared/keys/key-rules.ts';

const office = ['203.0.113.0/24', '2001:db8::/32'];

function refuses(addresses: RuleEntries['addresses'], text: string) {
  const rules = decodeKeyRules(encodeKeyRules({ ...noRules, addresses }));
  return rules && refusingList(rules.addresses, addressOf(text));
}

function addressOf(text: string) {
  const address = parseAddress(text);
  if (address === undefined) throw new Error(`${text} is not read`);
  return address;
}

function firstUnmet(text: string, facts: DeploymentFacts) {
  const rules = decodeKeyRules({ mark: 'x', text });
  return rules?.dataPolicies.map(({ policy }) => unmetDemand(policy, facts)).find((demand) => demand !== undefined);
}

test('no rules have no mark and nothing to judge by', () => {
  const published = encodeKeyRules(noRules);
  expect(published).toEqual({ mark: '', text: '' });
  expect(decodeKeyRules(published)).toBeUndefined();
});

test('the same rules have the same mark, and others another, also if they change sides', () => {
  const markOf = (entries: Partial<RuleEntries>) => encodeKeyRules({ ...noRules, ...entries }).mark;
  const zdr: DataPolicy = { zdr: true };
  const marks = [
    markOf({ addresses: { organization: office, key: null } }),
    markOf({ addresses: { organization: null, key: office } }),
    markOf({ addresses: { organization: office, key: office } }),
    markOf({ dataPolicies: { organization: zdr, key: null } }),
    markOf({ dataPolicies: { organization: null, key: zdr } }),
    markOf({ addresses: { organization: office, key: null }, dataPolicies: { organization: zdr, key: null } }),
  ];
  expect(new Set(marks).size).toBe(marks.length);
  expect(markOf({ addresses: { organization: [...office], key: null } })).toBe(marks[0] ?? '');
});

describe('lists of addresses', () => {
  test('an address must be in the list of the organization and in that of the key', () => {
    const both = { organization: office, key: ['203.0.113.7'] };
    expect(refuses(both, '203.0.113.7')).toBeUndefined();
    expect(refuses(both, '203.0.113.8')).toBe('key');
    expect(refuses(both, '198.51.100.7')).toBe('organization');
    expect(refuses({ organization: null, key: ['198.51.100.7'] }, '198.51.100.7')).toBeUndefined();
    expect(refuses({ organization: office, key: null }, '2001:db8:1::1')).toBeUndefined();
  });

  test('a text of the version before means the same', () => {
    const rules = decodeKeyRules({ mark: 'x', text: '{"organization":["203.0.113.0/24"],"key":["203.0.113.7"]}' });
    expect(rules && refusingList(rules.addresses, addressOf('203.0.113.7'))).toBeUndefined();
    expect(rules && refusingList(rules.addresses, addressOf('203.0.113.8'))).toBe('key');
    expect(rules?.dataPolicies).toEqual([]);
  });

  test.each(['', 'nonsense', '[]', '{"organization":"203.0.113.0/24"}', '{"key":[7,null,"203.0.113.0/99"]}'])(
    'that another version wrote as %p allow no address',
    (text) => {
      const rules = decodeKeyRules({ mark: 'x', text });
      expect(rules && refusingList(rules.addresses, addressOf('203.0.113.7'))).toBeDefined();
    },
  );

  test('of an owner that only a later version knows are ignored', () => {
    const rules = decodeKeyRules({ mark: 'x', text: '{"project":[],"key":["203.0.113.7"]}' });
    expect(rules && refusingList(rules.addresses, addressOf('203.0.113.7'))).toBeUndefined();
  });
});

describe('data policies', () => {
  const kept = { publicName: 'azure', country: 'DE', retentionDays: 30, trains: false };

  test.each([
    ['only', { only: ['openai'] }],
    ['ignore', { ignore: ['azure'] }],
    ['countries', { countries: ['RU', 'KZ'] }],
    ['zdr', { zdr: true }],
    ['dataCollection', { dataCollection: 'deny' }],
  ] as const)('%s is met by some deployments, and not by one of which nothing is known', (demand, policy) => {
    const meeting = { publicName: 'openai', country: 'KZ', retentionDays: 0, trains: false };
    expect(unmetDemand(policy, meeting)).toBeUndefined();
    expect(unmetDemand(policy, { ...kept, trains: true })).toBe(demand);
    expect(unmetDemand(policy, {})).toBe(demand);
  });

  test('of both owners have to be met', () => {
    const text = '{"dataPolicies":{"organization":{"countries":["DE"]},"key":{"zdr":true}}}';
    expect(firstUnmet(text, kept)).toBe('zdr');
    expect(firstUnmet(text, { ...kept, country: 'US' })).toBe('countries');
    expect(firstUnmet(text, { ...kept, retentionDays: 0 })).toBeUndefined();
  });

  test.each([
    '{"dataPolicies":[]}',
    '{"dataPolicies":{"key":null}}',
    '{"dataPolicies":{"key":{"zdr":"yes"}}}',
    '{"dataPolicies":{"key":{"zdr":true,"regionOfTomorrow":"moon"}}}',
    '{"dataPolicies":{"organization":{"only":"azure"}}}',
  ])('that another version wrote as %p are met by nothing', (text) => {
    expect(firstUnmet(text, { ...kept, retentionDays: 0 })).toBe('only');
  });

  test('what is published is what is read', () => {
    const policy: DataPolicy = { dataCollection: 'deny', zdr: true, countries: ['DE'], only: ['a'], ignore: ['b'] };
    const rules = decodeKeyRules(encodeKeyRules({ ...noRules, dataPolicies: { organization: policy, key: null } }));
    expect(rules?.dataPolicies).toEqual([{ owner: 'organization', policy }]);
    expect(rules?.addresses).toEqual([]);
  });
});
