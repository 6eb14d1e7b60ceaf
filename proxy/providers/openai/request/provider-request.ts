/**
 * Where and with which headers a provider is asked: the one place that knows how it wants to be addressed and how it
 * wants to see its key. None of it depends on the request, so it is made once for each deployment and key.
 */
import type { ModelKind, Quirks } from '../../../../shared/catalogue/published-catalogue.ts';
import type { Deployment } from '../../../catalogue/catalogue.ts';
import type { UpstreamTarget } from '../../adapter.ts';

type Headers = Readonly<Record<string, string>>;

export interface ProviderAddress {
  readonly apiKey: string | undefined;
  readonly url: string;
  /** The model's name at the provider, as JSON. */
  readonly modelText: string;
  /** Of a request for a whole answer. */
  readonly wholeHeaders: Headers;
  readonly streamHeaders: Headers;
}

const defaultPaths: Record<ModelKind, string> = {
  chat: '/chat/completions',
  completion: '/completions',
  embedding: '/embeddings',
  image: '/images/generations',
};

/** A deployment lives as long as its catalogue, and what is known of it no longer. */
const known: Record<ModelKind, WeakMap<Deployment, ProviderAddress>> = {
  chat: new WeakMap(),
  completion: new WeakMap(),
  embedding: new WeakMap(),
  image: new WeakMap(),
};

export function addressOf({ deployment, apiKey }: UpstreamTarget, kind: ModelKind): ProviderAddress {
  const before = known[kind].get(deployment);
  // A key may be an access token, which is renewed.
  if (before !== undefined && before.apiKey === apiKey) return before;
  const address = {
    apiKey,
    url: urlOf(deployment, kind),
    modelText: JSON.stringify(`${deployment.provider.quirks.modelPrefix ?? ''}${deployment.model}`),
    wholeHeaders: headersOf(deployment, { accept: 'application/json', apiKey }),
    streamHeaders: headersOf(deployment, { accept: 'text/event-stream', apiKey }),
  };
  known[kind].set(deployment, address);
  return address;
}

function headersOf(
  deployment: Deployment,
  { accept, apiKey }: { accept: string; apiKey: string | undefined },
): Headers {
  return {
    ...deployment.provider.quirks.headers,
    'content-type': 'application/json',
    accept,
    'accept-encoding': 'identity',
    ...authorization(deployment, apiKey),
  };
}

function authorization(deployment: Deployment, apiKey: string | undefined): Headers {
  if (apiKey === undefined) return {};
  const { authHeader = 'authorization', authScheme } = deployment.provider.quirks;
  const scheme = authScheme ?? (authHeader === 'authorization' ? 'Bearer' : '');
  return { [authHeader]: scheme === '' ? apiKey : `${scheme} ${apiKey}` };
}

function urlOf({ provider, model }: Deployment, kind: ModelKind): string {
  const { baseUrl, quirks } = provider;
  const path = (ownPath(quirks, kind) ?? defaultPaths[kind]).replaceAll('{model}', encodeURIComponent(model));
  const url = `${baseUrl.replace(/\/+$/, '')}${path}`;
  const query = new URLSearchParams(quirks.query).toString();
  return query === '' ? url : `${url}?${query}`;
}

function ownPath({ paths, imagePath }: Quirks, kind: ModelKind): string | undefined {
  return kind === 'image' ? imagePath : paths?.[kind];
}
