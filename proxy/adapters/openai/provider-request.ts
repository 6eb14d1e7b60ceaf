/**
 * Where and with which headers a provider is asked: the one place that knows how it wants to be addressed and how it
 * wants to see its key.
 */
import type { ModelKind } from '../../../shared/catalogue/published-catalogue.ts';
import type { UpstreamRequest, UpstreamTarget } from '../adapter.ts';

const defaultPaths: Record<ModelKind, string> = {
  chat: '/chat/completions',
  completion: '/completions',
  embedding: '/embeddings',
};

export function providerRequest(
  target: UpstreamTarget,
  { kind, stream, body }: { kind: ModelKind; stream: boolean; body: string },
): UpstreamRequest {
  return {
    url: urlOf(target, kind),
    headers: {
      ...target.deployment.provider.quirks.headers,
      'content-type': 'application/json',
      accept: stream ? 'text/event-stream' : 'application/json',
      'accept-encoding': 'identity',
      ...authorization(target),
    },
    body,
  };
}

/** The model's name at the provider, as its requests spell it. */
export function upstreamModel({ deployment }: UpstreamTarget): string {
  return `${deployment.provider.quirks.modelPrefix ?? ''}${deployment.model}`;
}

function authorization({ apiKey, deployment }: UpstreamTarget): Record<string, string> {
  if (apiKey === undefined) return {};
  const { authHeader = 'authorization', authScheme } = deployment.provider.quirks;
  const scheme = authScheme ?? (authHeader === 'authorization' ? 'Bearer' : '');
  return { [authHeader]: scheme === '' ? apiKey : `${scheme} ${apiKey}` };
}

function urlOf({ deployment }: UpstreamTarget, kind: ModelKind): string {
  const { baseUrl, quirks } = deployment.provider;
  const path = (quirks.paths?.[kind] ?? defaultPaths[kind]).replaceAll('{model}', encodeURIComponent(deployment.model));
  const url = `${baseUrl.replace(/\/+$/, '')}${path}`;
  const query = new URLSearchParams(quirks.query).toString();
  return query === '' ? url : `${url}?${query}`;
}
