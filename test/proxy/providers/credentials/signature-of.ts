/**
 * AWS's Signature Version 4, computed step by step from the received request, as its documentation describes:
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
import { createHash, createHmac } from 'node:crypto';

export interface Arrived {
  /** The path as sent, percent-encoded once. */
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
}

interface Signer {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
}

/** The `authorization` header that the request must have. */
export function signatureOf(
  { path, headers, body }: Arrived,
  { accessKeyId, secretAccessKey, region }: Signer,
): string {
  const time = headers.get('x-amz-date') ?? '';
  const day = time.slice(0, 8);
  const names = /SignedHeaders=([^,]+)/.exec(headers.get('authorization') ?? '')?.[1] ?? '';
  const canonicalHeaders = names.split(';').map((name) => `${name}:${headers.get(name)}\n`);
  const canonicalPath = path.split('/').map(encodeURIComponent).join('/');
  const canonical = ['POST', canonicalPath, '', canonicalHeaders.join(''), names, sha256(body)].join('\n');
  const scope = `${day}/${region}/bedrock/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
  const key = [day, region, 'bedrock', 'aws4_request'].reduce<Buffer | string>(hmac, `AWS4${secretAccessKey}`);
  const signature = hmac(key, toSign).toString('hex');
  return `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
