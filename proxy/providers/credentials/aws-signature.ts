/**
 * AWS's Signature Version 4:
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html. It covers the URL, the
 * body, and the headers with the identity and time of the request.
 */
import { Sha256 } from '@aws-crypto/sha256-js';
import { SignatureV4 } from '@smithy/signature-v4';
import { blobOf, type SignRequest, textOf, type UpstreamRequest } from '../adapter.ts';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Only with temporary credentials. */
  readonly sessionToken?: string;
}

const service = 'bedrock';

export function awsSignature(
  credentials: AwsCredentials,
  { region, now = Date.now }: { region: string; now?: (() => number) | undefined },
): SignRequest {
  const signer = new SignatureV4({ service, region, credentials, sha256: Sha256 });
  return async (request) => {
    const { host, protocol, hostname, pathname: path } = new URL(request.url);
    // Bodies can be megabytes and this hash is native; the signer uses it as given.
    const bodyHash = new Bun.CryptoHasher('sha256').update(await bytesOf(request)).digest('hex');
    const headers = { host, 'x-amz-content-sha256': bodyHash };
    const signed = await signer.sign(
      { method: 'POST', protocol, hostname, path, query: {}, headers, body: undefined },
      { signingDate: new Date(now()) },
    );
    const { host: _written, ...own } = signed.headers;
    return { ...request, headers: { ...request.headers, ...own } };
  };
}

function bytesOf({ body }: UpstreamRequest): string | Promise<Uint8Array> {
  return textOf(body) ?? blobOf(body).bytes();
}
