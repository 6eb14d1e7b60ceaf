/**
 * The secrets of the gateway's programs: generated on the first start, kept in a private file. Secrets that the user
 * sets in the environment take precedence and are not copied.
 */
import { secretNames } from '../configuration.ts';
import { readIfPresent, writePrivateFile } from './private-file.ts';
import { randomSecret } from './random.ts';

const secretBytes = 32;

/** The variables to set for the programs. */
export function ensureSecrets(path: string, given: ReadonlySet<string>): Record<string, string> {
  const text = readIfPresent(path);
  // Only this function writes the file.
  const kept = text === undefined ? {} : (JSON.parse(text) as Record<string, string>);
  const missing = secretNames.filter((name) => kept[name] === undefined && !given.has(name));
  for (const name of missing) kept[name] = randomSecret(secretBytes);
  if (missing.length > 0) writePrivateFile(path, `${JSON.stringify(kept, null, 2)}\n`);
  return Object.fromEntries(Object.entries(kept).filter(([name]) => !given.has(name)));
}
