/** Where the files of customers are stored, for batches: a folder, or an S3-compatible service. */
import type { EnvironmentReader, Secrets } from './environment.ts';

export interface FilesConfig {
  readonly place: FilesPlace;
  /** Files are encrypted with the first, and decrypted with any. */
  readonly secrets: Secrets;
  /** For all files of one organization. */
  readonly maxBytes: number;
  /** How many lines of batches one proxy runs at once; 0 if it runs none. */
  readonly batchConcurrency: number;
}

export type FilesPlace =
  | { readonly kind: 'folder'; readonly path: string }
  | {
      readonly kind: 's3';
      readonly endpoint: string;
      readonly bucket: string;
      /** Before the names of objects; empty, or it ends with a slash. */
      readonly prefix: string;
      readonly region: string;
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
    };

const secretMinLength = 32;
const mebibyte = 1024 * 1024;
const defaultRegion = 'us-east-1';

/** Undefined if no place is configured. */
export function readFilesConfig(environment: EnvironmentReader): FilesConfig | undefined {
  const folder = environment.optionalText('FILES_DIR');
  const url = environment.optionalSecret('FILES_S3_URL');
  const maxBytes = environment.integer('FILES_MAX_BYTES', {
    fallback: 20 * 1024 * mebibyte,
    min: mebibyte,
    max: 1024 * 1024 * 1024 * mebibyte,
  });
  const batchConcurrency = environment.integer('BATCH_CONCURRENCY', { fallback: 16, min: 0, max: 1_000 });
  environment.check(folder === undefined || url === undefined, 'Only one of FILES_DIR and FILES_S3_URL can be set');
  const place = folder === undefined ? url && readBucket(environment, url) : { kind: 'folder' as const, path: folder };
  const secrets = environment.optionalSecrets('FILES_SECRET', refuseShort);
  if (place === undefined || place === '') return undefined;
  const missing = 'FILES_SECRET (or FILES_SECRET_FILE) is missing: the secret that files are encrypted with';
  environment.check(secrets !== undefined, missing);
  if (secrets === undefined) return undefined;
  return { place, secrets, maxBytes, batchConcurrency };
}

function refuseShort(secrets: readonly string[]): string | undefined {
  const isShort = secrets.some(({ length }) => length < secretMinLength);
  return isShort ? `FILES_SECRET must have at least ${secretMinLength} characters` : undefined;
}

/** `https://KEY:SECRET@host/bucket/prefix?region=eu-central-1`. */
function readBucket(environment: EnvironmentReader, text: string): FilesPlace | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const [bucket = '', ...prefix] = url?.pathname.slice(1).split('/').filter(Boolean) ?? [];
  const isComplete = url !== undefined && /^https?:$/.test(url.protocol) && url.username !== '' && bucket !== '';
  environment.check(isComplete, 'FILES_S3_URL must have the form https://KEY:SECRET@HOST/BUCKET?region=REGION');
  if (!isComplete) return undefined;
  return {
    kind: 's3',
    endpoint: url.origin,
    bucket,
    prefix: prefix.map((part) => `${part}/`).join(''),
    region: url.searchParams.get('region') ?? defaultRegion,
    accessKeyId: decodeURIComponent(url.username),
    secretAccessKey: decodeURIComponent(url.password),
  };
}
