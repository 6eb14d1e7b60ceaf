/** A file of the documentation page, read and compressed once, at the first request. */
import { matchesEtag } from '../../../shared/http/request-headers.ts';

interface AssetBody {
  readonly plain: Uint8Array<ArrayBuffer>;
  readonly gzipped: Uint8Array<ArrayBuffer>;
  readonly etag: string;
}

interface AssetOptions {
  readonly contentType: string;
  read(): Promise<Uint8Array<ArrayBuffer>>;
  /** For a page: what it may load and connect to. */
  readonly contentSecurityPolicy?: string;
}

export class Asset {
  readonly #options: AssetOptions;
  #body: Promise<AssetBody> | undefined;

  constructor(options: AssetOptions) {
    this.#options = options;
  }

  /** Caches may store it but must revalidate it each time, so a new release is visible immediately. */
  async handle(headers: Readonly<Record<string, string | undefined>>): Promise<Response> {
    this.#body ??= this.#load();
    const { plain, gzipped, etag } = await this.#body;
    const { contentType, contentSecurityPolicy = "default-src 'none'" } = this.#options;
    const responseHeaders = {
      'content-security-policy': contentSecurityPolicy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'content-type': contentType,
      'cache-control': 'public, no-cache',
      vary: 'accept-encoding',
      etag,
    };
    if (matchesEtag(headers['if-none-match'], etag))
      return new Response(null, { status: 304, headers: responseHeaders });
    if (!/\bgzip\b/.test(headers['accept-encoding'] ?? '')) return new Response(plain, { headers: responseHeaders });
    return new Response(gzipped, { headers: { ...responseHeaders, 'content-encoding': 'gzip' } });
  }

  async #load(): Promise<AssetBody> {
    const plain = await this.#options.read();
    const etag = `"${new Bun.CryptoHasher('sha256').update(plain).digest('hex').slice(0, 32)}"`;
    return { plain, gzipped: Bun.gzipSync(plain), etag };
  }
}
