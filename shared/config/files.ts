/** Where the files of customers are stored, for batches: a folder, or an S3-compatible service. */
import type { EnvironmentReader, Secrets } from './environment.ts';
import { type ObjectPlace, readObjectPlace } from './object-place.ts';

export interface FilesConfig {
  readonly place: ObjectPlace;
  /** Files are encrypted with the first, and decrypted with any. */
  readonly secrets: Secrets;
  /** For all files of one organization. */
  readonly maxBytes: number;
  /** How many lines of batches one proxy runs at once; 0 if it runs none. */
  readonly batchConcurrency: number;
}

const secretMinLength = 32;
const mebibyte = 1024 * 1024;

/** Undefined if no place is configured. */
export function readFilesConfig(environment: EnvironmentReader): FilesConfig | undefined {
  const place = readObjectPlace(environment, 'FILES');
  const maxBytes = environment.integer('FILES_MAX_BYTES', {
    fallback: 20 * 1024 * mebibyte,
    min: mebibyte,
    max: 1024 * 1024 * 1024 * mebibyte,
  });
  const batchConcurrency = environment.integer('BATCH_CONCURRENCY', { fallback: 16, min: 0, max: 1_000 });
  const secrets = environment.optionalSecrets('FILES_SECRET', refuseShort);
  if (place === undefined) return undefined;
  const missing = 'FILES_SECRET (or FILES_SECRET_FILE) is missing: the secret that files are encrypted with';
  environment.check(secrets !== undefined, missing);
  if (secrets === undefined) return undefined;
  return { place, secrets, maxBytes, batchConcurrency };
}

function refuseShort(secrets: readonly string[]): string | undefined {
  const isShort = secrets.some(({ length }) => length < secretMinLength);
  return isShort ? `FILES_SECRET must have at least ${secretMinLength} characters` : undefined;
}
