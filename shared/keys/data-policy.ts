/**
 * What is demanded of the providers that may see a request: by an organization and a key, published with the key, and by the
 * request itself. Every demand must be met, so the strictest wins. What a catalogue does not say about a deployment meets none.
 */
import { isObject, withoutUndefined } from '../members.ts';

/** Only what it demands is a member. */
export interface DataPolicy {
  /** `deny`: only providers that do not train on requests. */
  readonly dataCollection?: 'deny';
  /** Zero data retention: only providers that store no request. */
  readonly zdr?: true;
  /** Only deployments in one of these, as ISO 3166-1 alpha-2: `DE`. */
  readonly countries?: readonly string[];
  /** Names of providers, as the catalogue publishes them for customers: only these. */
  readonly only?: readonly string[];
  /** Likewise: none of these. */
  readonly ignore?: readonly string[];
}

/** As people set it: everything has a value. */
export interface DataPolicySettings {
  readonly dataCollection: 'allow' | 'deny';
  readonly zdr: boolean;
  /** Of each list, an empty one demands nothing. */
  readonly countries: readonly string[];
  readonly only: readonly string[];
  readonly ignore: readonly string[];
}

/** Codes of countries are upper case, names of providers lower case. */
export function demandsOf({ dataCollection, zdr, ...lists }: DataPolicySettings): DataPolicy {
  const given = Object.entries(lists).filter(([, list]) => list.length > 0);
  return {
    ...(dataCollection === 'deny' && { dataCollection }),
    ...(zdr && { zdr }),
    ...Object.fromEntries(given),
  };
}

export type Demand = keyof DataPolicy;

/** In the order in which a refusal names them. */
export const demands = ['only', 'ignore', 'countries', 'zdr', 'dataCollection'] as const satisfies readonly Demand[];

/** What the catalogue says about a deployment. */
export interface DeploymentFacts {
  /** Of its provider, for customers. */
  readonly publicName?: string;
  /** ISO 3166-1 alpha-2. */
  readonly country?: string;
  /** How long the provider stores requests; 0 for not at all. */
  readonly retentionDays?: number;
  /** Whether the provider trains on requests. */
  readonly trains?: boolean;
}

/** Those of which the same is known are one. Empty where nothing is known of any. */
export function differentFacts(deployments: readonly DeploymentFacts[]): DeploymentFacts[] {
  const known = deployments.map(({ publicName, country, retentionDays, trains }) =>
    withoutUndefined({ publicName, country, retentionDays, trains }),
  );
  const different = new Map(known.map((facts) => [JSON.stringify(facts), facts]));
  return different.size === 1 && different.has('{}') ? [] : [...different.values()];
}

const isMet: { readonly [Name in Demand]: (wanted: DataPolicy[Name], facts: DeploymentFacts) => boolean } = {
  only: (names, { publicName }) => publicName !== undefined && (names ?? []).includes(publicName),
  // One that has no name may be meant.
  ignore: (names, { publicName }) => publicName !== undefined && !(names ?? []).includes(publicName),
  countries: (countries, { country }) => country !== undefined && (countries ?? []).includes(country),
  zdr: (_wanted, { retentionDays }) => retentionDays === 0,
  dataCollection: (_wanted, { trains }) => trains === false,
};

/** The first demand that the deployment does not meet; undefined if it meets all of them. */
export function unmetDemand(policy: DataPolicy, facts: DeploymentFacts): Demand | undefined {
  return demands.find((name) => policy[name] !== undefined && !meets(policy, name, facts));
}

function meets<Name extends Demand>(policy: DataPolicy, name: Name, facts: DeploymentFacts): boolean {
  return isMet[name](policy[name], facts);
}

/** No deployment meets it. */
const unreadable: DataPolicy = { only: [] };

/** As it was published. One that this version cannot read may demand anything. */
export function readDataPolicy(published: unknown): DataPolicy {
  if (!isObject(published)) return unreadable;
  const { dataCollection, zdr, countries, only, ignore, ...unknown } = published;
  const isReadable =
    Object.keys(unknown).length === 0 &&
    (dataCollection === undefined || dataCollection === 'deny') &&
    (zdr === undefined || zdr === true) &&
    [countries, only, ignore].every((list) => list === undefined || isListOfTexts(list));
  // TypeScript does not know what was just checked.
  return isReadable ? (published as DataPolicy) : unreadable;
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
