/** Where objects are kept: a folder, or an S3-compatible service. */
import type { EnvironmentReader } from './environment.ts';

export type ObjectPlace =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 's3'; readonly bucket: Bucket };

export interface Bucket {
  readonly endpoint: string;
  readonly bucket: string;
  /** Before the names of objects; empty, or it ends with a slash. */
  readonly prefix: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

const defaultRegion = 'us-east-1';

/** Of `FILES_DIR` or `FILES_S3_URL`, with `FILES`. Undefined if neither is set. */
export function readObjectPlace(environment: EnvironmentReader, name: 'FILES' | 'ARCHIVE'): ObjectPlace | undefined {
  const path = environment.optionalText(`${name}_DIR`);
  const url = environment.optionalSecret(`${name}_S3_URL`);
  environment.check(path === undefined || url === undefined, `Only one of ${name}_DIR and ${name}_S3_URL can be set`);
  if (path !== undefined) return { kind: 'folder', path };
  const bucket = url === undefined ? undefined : readBucket(environment, `${name}_S3_URL`, url);
  return bucket && { kind: 's3', bucket };
}

/** `https://KEY:SECRET@host/bucket/prefix?region=eu-central-1`. */
function readBucket(environment: EnvironmentReader, variable: string, text: string): Bucket | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const [bucket = '', ...prefix] = url?.pathname.slice(1).split('/').filter(Boolean) ?? [];
  const [accessKeyId, secretAccessKey] = [decoded(url?.username), decoded(url?.password)];
  const isWeb = url !== undefined && /^https?:$/.test(url.protocol);
  if (!isWeb || !accessKeyId || secretAccessKey === undefined || bucket === '') {
    environment.check(false, `${variable} ${expected}`);
    return undefined;
  }
  return {
    endpoint: url.origin,
    bucket,
    prefix: prefix.map((part) => `${part}/`).join(''),
    region: url.searchParams.get('region') ?? defaultRegion,
    accessKeyId,
    secretAccessKey,
  };
}

/** A secret of Amazon's may have a slash, which ends the user's part of a URL. */
const expected =
  'must have the form https://KEY:SECRET@HOST/BUCKET?region=REGION, with %2F for each / of the secret, and %25 for each %';

/** Undefined if it is not percent-encoded as it has to be. */
function decoded(part = ''): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
