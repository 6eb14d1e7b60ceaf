/**
 * `local.json`: what a person or a script needs to use the running system, keys and passwords included; hence private
 * to the user. Its shape is part of the interface of `npm start`.
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

/** Whoever deletes the file asks for new keys: the old ones may be why it was deleted. */
export function isLocalFilePresent(path: string): boolean {
  return existsSync(path);
}
