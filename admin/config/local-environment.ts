/**
 * Gives the CLI the settings of the system that `npm start` runs: it reads `$DATA_DIR/gateway.env`, which `npm start`
 * writes, unless the environment names a gateway itself.
 *
 * Invariant: the file is used as a whole or not at all, so that no command ever combines one gateway's Postgres with
 * another's Redis.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EnvironmentReader } from '../../shared/config/environment.ts';

/** Any of these identifies a gateway, also as a file. */
const naming = ['DATABASE_URL', 'REDIS_URL', 'KEY_PEPPER'];
const line = /^([A-Z][A-Z0-9_]*)=(.*)$/gm;

export function useLocalEnvironment(variables: Record<string, string | undefined> = process.env): void {
  const reader = new EnvironmentReader(variables);
  if (naming.some((name) => reader.isGiven(name))) return;
  const path = join(reader.text('DATA_DIR', '.data'), 'gateway.env');
  if (!existsSync(path)) return;
  for (const [, name = '', value = ''] of readFileSync(path, 'utf8').matchAll(line)) {
    if (reader.optionalText(name) === undefined) variables[name] = unquoted(value);
  }
}

/** As Bun parses an environment file: within quotes JSON's escapes, and `\$` for a dollar sign. */
function unquoted(value: string): string {
  if (!value.startsWith('"')) return value;
  const text: unknown = JSON.parse(value.replaceAll('\\$', '$'));
  return String(text);
}
