/** Reads what is demanded of the providers that may see requests, and writes it in its canonical form. */
import { GatewayError } from '../../shared/errors.ts';
import { invalidParameter } from '../../shared/http/parameter-errors.ts';
import { type DataPolicy, type DataPolicySettings, demandsOf } from '../../shared/keys/data-policy.ts';
import { readPublicNames } from '../catalogue/public-names.ts';
import type { DbOrTransaction } from '../database/connect.ts';

export const policyEntriesMax = 50;

/** What is absent demands nothing. */
export type DataPolicyInput = Partial<DataPolicySettings>;

/**
 * Only what demands something, lists without repetitions; null if nothing does. `at` precedes the names of parameters in errors.
 * Throws GatewayError `invalid_parameter` about the first entry at fault.
 */
export async function parseDataPolicy(
  db: DbOrTransaction,
  input: DataPolicyInput,
  at = '',
): Promise<DataPolicy | null> {
  const countries = parseList(input.countries, `${at}countries`, parseCountry);
  const { only, ignore } = await parseNames(db, input, at);
  const policy = demandsOf({
    dataCollection: input.dataCollection ?? 'allow',
    zdr: input.zdr ?? false,
    countries,
    only,
    ignore,
  });
  return Object.keys(policy).length === 0 ? null : policy;
}

async function parseNames(db: DbOrTransaction, input: DataPolicyInput, at: string) {
  const { only = [], ignore = [] } = input;
  // The catalogue is large, and most policies name nobody.
  const names = only.length + ignore.length === 0 ? [] : await readPublicNames(db);
  const parseName = (entry: string, param: string) => {
    const name = entry.toLowerCase();
    if (!names.includes(name)) throw unknownProvider(param, names);
    return name;
  };
  const allowed = parseList(only, `${at}only`, parseName);
  const ignored = parseList(ignore, `${at}ignore`, (entry, param) => {
    const name = parseName(entry, param);
    if (allowed.includes(name)) throw bothLists(param, name);
    return name;
  });
  return { only: allowed, ignore: ignored };
}

function parseList(
  entries: readonly string[] = [],
  param: string,
  parse: (entry: string, param: string) => string,
): string[] {
  return [...new Set(entries.map((entry, index) => parse(entry.trim(), `${param}[${index}]`)))];
}

function parseCountry(entry: string, param: string): string {
  if (!/^[A-Za-z]{2}$/.test(entry) || !isCountry(entry)) throw notACountry(param);
  return entry.toUpperCase();
}

/** The time zone database lists those of ISO 3166-1, without uninhabited islands; it has neither `EU` nor `UK`. */
const isCountry = (code: string) => (new Intl.Locale(`und-${code}`).getTimeZones() ?? []).length > 0;

export const notACountry = (param: string) =>
  invalidParameter(param, 'the two-letter code of a country in ISO 3166-1, such as DE');

/** `names` are those that there are. */
const unknownProvider = (param: string, names: readonly string[]) =>
  names.length === 0
    ? new GatewayError('invalid_parameter', `Invalid value for '${param}': the catalogue names no providers.`, {
        param,
      })
    : invalidParameter(param, `the name of a provider: ${names.join(', ')}`);

const bothLists = (param: string, name: string) =>
  new GatewayError(
    'invalid_parameter',
    `Invalid value for '${param}': ${name} is also in 'only'. Name it in one of them.`,
    {
      param,
    },
  );
