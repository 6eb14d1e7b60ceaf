/**
 * Writes the settings of the running system to an environment file. The operator's command line finds it by itself
 * (`shared/config/local-environment.ts`); Bun and Docker read it too.
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
