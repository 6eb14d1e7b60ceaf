/**
 * Calls YooKassa's API (https://yookassa.ru/developers/using-api/interaction-format): HTTP Basic with shop id and secret
 * key, JSON, and an `Idempotence-Key` for every POST. A 4xx response says that nothing has happened, unless it is about our key or the
 * moment; after anything else the call has to be repeated with the same key.
 */
import { isObject } from '../../../../shared/members.ts';
import type { YookassaConfig } from '../../../config/payments.ts';
import { ProviderError } from '../payment-method.ts';
import { boundedFetch } from '../provider-fetch.ts';

/** Not statements about the request, although they are below 500. */
const temporary: ReadonlySet<number> = new Set([202, 408, 409, 425, 429]);

export interface YookassaResponse {
  readonly body: Readonly<Record<string, unknown>>;
  readonly raw: string;
}

interface YookassaCall {
  readonly path: string;
  /** A POST if there is a body. */
  readonly post?: { readonly body: object; readonly idempotenceKey: string };
}

export class YookassaClient {
  readonly #config: YookassaConfig;

  constructor(config: YookassaConfig) {
    this.#config = config;
  }

  /** Undefined for a 404. Throws ProviderError. */
  async call({ path, post }: YookassaCall): Promise<YookassaResponse | undefined> {
    const { shopId, secretKey, apiUrl } = this.#config;
    const { status, text } = await boundedFetch('YooKassa', `${apiUrl}${path}`, {
      method: post === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${shopId}:${secretKey}`).toString('base64')}`,
        accept: 'application/json',
        ...(post && { 'content-type': 'application/json', 'idempotence-key': post.idempotenceKey }),
      },
      ...(post && { body: JSON.stringify(post.body) }),
    });
    const body = parse(text);
    if (status === 404 && post === undefined) return undefined;
    if (status === 401 || status === 403) {
      throw new ProviderError('denied', `YooKassa denied access with ${status}${codeOf(body)}`);
    }
    if (temporary.has(status) || status >= 500) {
      throw new ProviderError('unavailable', `YooKassa responded with ${status}${codeOf(body)}`);
    }
    if (status !== 200) throw new ProviderError('refused', `YooKassa refused with ${status}${codeOf(body)}`);
    if (body === undefined) throw new ProviderError('unavailable', 'YooKassa returned something other than JSON');
    return { body, raw: text };
  }
}

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function codeOf(body: Readonly<Record<string, unknown>> | undefined): string {
  const { code, parameter, description } = body ?? {};
  const parts = [code, parameter, description].filter((part) => typeof part === 'string');
  return parts.length === 0 ? '' : `: ${parts.join(', ').slice(0, 300)}`;
}
