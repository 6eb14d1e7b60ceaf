/**
 * Gives the command line the settings of the system that `npm start` runs: it reads `$DATA_DIR/gateway.env`, which
 * `npm start` writes, where the environment does not name a gateway of its own.
 *
 * Invariant: the file is taken as a whole or not at all, so that no command ever works on the Postgres of one gateway
 * and the Redis of another.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EnvironmentReader } from './environment.ts';

/** Any of these says which gateway is meant. */
const naming = ['DATABASE_URL', 'REDIS_URL', 'KEY_PEPPER', 'KEY_PEPPER_FILE'];
const line = /^([A-Z][A-Z0-9_]*)=(.*)$/gm;

export function useLocalEnvironment(variables: Record<string, string | undefined> = process.env): void {
  const reader = new EnvironmentReader(variables);
  if (naming.some((name) => reader.optionalText(name) !== undefined)) return;
  const path = join(reader.text('DATA_DIR', '.data'), 'gateway.env');
  if (!existsSync(path)) return;
  for (const [, name = '', value = ''] of readFileSync(path, 'utf8').matchAll(line)) {
    if (reader.optionalText(name) === undefined) variables[name] = unquoted(value);
  }
}

/** As Bun reads an environment file: within quotes the escapes of JSON, and `\$` for a dollar sign. */
function unquoted(value: string): string {
  if (!value.startsWith('"')) return value;
  const text: unknown = JSON.parse(value.replaceAll('\\$', '$'));
  return String(text);
}
