/** What sends requests to providers. */
import type { ProxyConfig } from '../../../shared/config/proxy.ts';
import { type HttpResponse, httpResponseOf } from '../../nouns/http-response.ts';
import { blobOf, textOf, type UpstreamRequest } from '../../providers/adapter.ts';
import { HttpClient, type PostOptions } from './http/http-client.ts';

export interface ProviderClient {
  /** Resolves with the head of the response. Rejects with the reason of the signal, or with what is wrong. */
  post(request: UpstreamRequest, options: PostOptions): Promise<HttpResponse>;
  /** Closes connections that no request uses. */
  close(): void;
}

export function openProviderClient(name: ProxyConfig['providerClient']): ProviderClient {
  return name === 'own' ? new HttpClient() : fetchClient;
}

/** Bun's own. */
const fetchClient: ProviderClient = {
  post: async ({ url, headers, body: sent }, { ca, signal }) => {
    const body = textOf(sent) ?? blobOf(sent);
    const init: BunFetchRequestInit = { method: 'POST', headers, body, signal, redirect: 'manual', timeout: false };
    if (ca !== undefined) init.tls = { ca };
    return httpResponseOf(await fetch(url, init));
  },
  close: () => {},
};
