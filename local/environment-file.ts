/**
 * Writes the settings of the running system as an environment file, so that the operator's command line can be used
 * on it: `npx bun --env-file=.data/gateway.env admin/cli/main.ts …`.
 */
import { writePrivateFile } from './private-file.ts';

export function writeEnvironmentFile(path: string, variables: Readonly<Record<string, string>>): void {
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${quoted(value)}`);
  writePrivateFile(path, `${lines.join('\n')}\n`);
}

/** Bun replaces `$NAME` also within quotes. */
function quoted(value: string): string {
  return JSON.stringify(value).replaceAll('$', '\\$');
}
