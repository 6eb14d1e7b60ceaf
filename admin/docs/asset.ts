/** A file of the documentation page, read and compressed once, when it is first asked for. */

interface AssetBody {
  readonly plain: Uint8Array<ArrayBuffer>;
  readonly gzipped: Uint8Array<ArrayBuffer>;
  readonly etag: string;
}

/** Nothing but this page's own files runs; Swagger UI's stylesheet draws its arrows with data: images. */
const securityHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

export class Asset {
  readonly #contentType: string;
  readonly #read: () => Promise<Uint8Array<ArrayBuffer>>;
  #body: Promise<AssetBody> | undefined;

  constructor(contentType: string, read: () => Promise<Uint8Array<ArrayBuffer>>) {
    this.#contentType = contentType;
    this.#read = read;
  }

  /** Caches may keep it and ask each time whether it has changed, so a new release is seen at once. */
  async answer(headers: Readonly<Record<string, string | undefined>>): Promise<Response> {
    this.#body ??= this.#load();
    const { plain, gzipped, etag } = await this.#body;
    const answerHeaders = {
      ...securityHeaders,
      'content-type': this.#contentType,
      'cache-control': 'public, no-cache',
      vary: 'accept-encoding',
      etag,
    };
    if (headers['if-none-match'] === etag) return new Response(null, { status: 304, headers: answerHeaders });
    if (!/\bgzip\b/.test(headers['accept-encoding'] ?? '')) return new Response(plain, { headers: answerHeaders });
    return new Response(gzipped, { headers: { ...answerHeaders, 'content-encoding': 'gzip' } });
  }

  async #load(): Promise<AssetBody> {
    const plain = await this.#read();
    const etag = `"${new Bun.CryptoHasher('sha256').update(plain).digest('hex').slice(0, 32)}"`;
    return { plain, gzipped: Bun.gzipSync(plain), etag };
  }
}
