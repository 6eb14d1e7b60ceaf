/**
 * The rules for the requests of a key, published with it: from which addresses they may come, which providers may see them, and for
 * how long their responses are stored for repetitions. Its organization and the key itself may each have some, and both apply. They have a mark, by which programs tell whether they
 * mean the same rules.
 */
import { isObject, withoutNullish } from '../members.ts';
import { readJson } from '../read-json.ts';
import { type AddressList, readAddressList } from './address-lists.ts';
import { type DataPolicy, readDataPolicy } from './data-policy.ts';
import { type RuleOwner, ruleOwners } from './rule-owners.ts';

type OfOwners<Rule> = Readonly<Record<RuleOwner, Rule | null>>;

/** Null where there is none. */
export interface RuleEntries {
  readonly addresses: OfOwners<readonly string[]>;
  readonly dataPolicies: OfOwners<DataPolicy>;
  /** Of the key alone. */
  readonly cacheSeconds: number | null;
}

export interface PublishedRules {
  /** Empty if there are no rules. */
  readonly mark: string;
  /** JSON; empty if there are no rules. */
  readonly text: string;
}

/** Rules to judge by. */
export interface KeyRules {
  readonly mark: string;
  readonly addresses: readonly AddressList[];
  readonly dataPolicies: readonly OwnedPolicy[];
  /** How long responses are stored for repetitions; undefined if they are not, unless a request asks for it. */
  readonly cacheSeconds: number | undefined;
}

export interface OwnedPolicy {
  readonly owner: RuleOwner;
  readonly policy: DataPolicy;
}

const markLength = 16;
const unpublished: PublishedRules = { mark: '', text: '' };
export const noRules: RuleEntries = {
  addresses: { organization: null, key: null },
  dataPolicies: { organization: null, key: null },
  cacheSeconds: null,
};

/**
 * `{"organization":[…],"key":[…],"dataPolicies":{"organization":{…},"key":{…}},"cacheSeconds":60}`: the lists of addresses came
 * first.
 */
export function encodeKeyRules({ addresses, dataPolicies, cacheSeconds }: RuleEntries): PublishedRules {
  const policies = inOrder(dataPolicies);
  const rules = {
    ...inOrder(addresses),
    ...(Object.keys(policies).length > 0 && { dataPolicies: policies }),
    ...(cacheSeconds !== null && { cacheSeconds }),
  };
  if (Object.keys(rules).length === 0) return unpublished;
  const text = JSON.stringify(rules);
  const digest = new Bun.CryptoHasher('sha256').update(text).digest('base64url');
  return { mark: digest.slice(0, markLength), text };
}

/** Undefined if there are no rules. What cannot be read allows nothing. */
export function decodeKeyRules({ mark, text }: PublishedRules): KeyRules | undefined {
  if (mark === '') return undefined;
  const published = readJson(text);
  const { dataPolicies = {}, cacheSeconds, ...lists } = isObject(published) ? published : { organization: [] };
  const policies = isObject(dataPolicies) ? dataPolicies : { organization: dataPolicies };
  return {
    mark,
    addresses: eachOwned(lists, readAddressList),
    dataPolicies: eachOwned(policies, (owner, policy) => ({ owner, policy: readDataPolicy(policy) })),
    cacheSeconds: typeof cacheSeconds === 'number' ? cacheSeconds : undefined,
  };
}

function inOrder<Rule>(rules: OfOwners<Rule>): Partial<Record<RuleOwner, Rule>> {
  return withoutNullish(Object.fromEntries(ruleOwners.map((owner) => [owner, rules[owner]])));
}

function eachOwned<Rule>(
  published: Readonly<Record<string, unknown>>,
  read: (owner: RuleOwner, rule: unknown) => Rule,
): Rule[] {
  return ruleOwners.flatMap((owner) => (published[owner] === undefined ? [] : [read(owner, published[owner])]));
}
