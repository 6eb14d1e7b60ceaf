/**
 * `local.json`: everything needed to use the running system, including keys and passwords; hence private
 * to the user. Its format is part of the interface of `npm start`.
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
