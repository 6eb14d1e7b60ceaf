/**
 * Which variables may hold a provider's key. A catalogue names them in `apiKeyEnv`, and what they hold is sent to the
 * address beside it, so a catalogue that could name any variable could read every secret of the proxy.
 *
 * Invariant: admin checks this before it accepts a catalogue, and the proxy again before it reads the variable.
 */
import type { EnvironmentReader } from './environment.ts';
import { readersOf } from './own-variables.ts';

/** The names listed in PROVIDER_KEYS. */
export type ListedKeys = ReadonlySet<string>;

const suffix = '_API_KEY';
/** Documented for GigaChat before this rule existed: existing catalogues name it. */
const documentedBeforeRule = 'GIGACHAT_AUTHORIZATION_KEY';

/** Listing a name that may never hold a provider's key is a configuration error. */
export function readListedKeys(environment: EnvironmentReader): ListedKeys {
  const names = environment
    .text('PROVIDER_KEYS', '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  // The text is not repeated: it may contain the keys themselves.
  environment.check(names.every(isName), 'PROVIDER_KEYS must be a comma-separated list of variable names');
  for (const name of names.filter(isName)) {
    const problem = neverAKey(name);
    environment.check(problem === undefined, `PROVIDER_KEYS lists ${name}, which ${problem}`);
  }
  return new Set(names);
}

/** Why `apiKeyEnv` may not name this variable, as a predicate that follows its name; undefined if it may. */
export function refuseKeyName(name: string, listed: ListedKeys): string | undefined {
  const problem = neverAKey(name);
  if (problem !== undefined) return problem;
  if (name.endsWith(suffix) || name === documentedBeforeRule || listed.has(name)) return undefined;
  return `neither ends in ${suffix} nor is listed in PROVIDER_KEYS`;
}

function isName(text: string): boolean {
  return /^[A-Z][A-Z0-9_]*$/.test(text);
}

function neverAKey(name: string): string | undefined {
  if (readersOf(name) !== undefined) return "is one of the gateway's own variables";
  return name.endsWith('_FILE') ? 'holds the path of a secret, not a key' : undefined;
}
