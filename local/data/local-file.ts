/**
 * What the running system writes down for other programs: `local.json` with everything needed to use it, and an
 * environment file with its settings. Both include keys and passwords; hence they are private to the user. The format
 * of `local.json` is part of the interface of `npm start`.
 */
import { existsSync } from 'node:fs';
import { writePrivateFile } from './private-file.ts';

export interface LocalFile {
  proxyUrl: string;
  adminUrl: string;
  docsUrl: string;
  databaseUrl: string;
  redisUrl: string;
  demo: { email: string; password: string; proxyKey: string; billingKey: string };
  operator: { email: string; password: string };
}

export function writeLocalFile(path: string, content: LocalFile): void {
  writePrivateFile(path, `${JSON.stringify(content, null, 2)}\n`);
}

/** Deleting the file requests new keys: the old ones may be why it was deleted. */
export function isLocalFilePresent(path: string): boolean {
  return existsSync(path);
}

/**
 * The operator's command line finds the file by itself (`admin/config/local-environment.ts`); Bun and Docker read it
 * too.
 */
export function writeEnvironmentFile(path: string, variables: Readonly<Record<string, string>>): void {
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${quoted(value)}`);
  writePrivateFile(path, `${lines.join('\n')}\n`);
}

/** Bun replaces `$NAME` also within quotes. */
function quoted(value: string): string {
  return JSON.stringify(value).replaceAll('$', '\\$');
}
