/**
 * The URL and headers of requests to a provider, including how it gets its key. None of it depends on the request, so
 * it is built once per deployment and key.
 */
import type { ModelKind } from '../../../../shared/catalogue/model-kinds.ts';
import type { Quirks } from '../../../../shared/catalogue/published-catalogue.ts';
import { withoutTrailingSlashes } from '../../../../shared/http/base-url.ts';
import type { Deployment } from '../../../pricing/catalogue.ts';
import type { UpstreamTarget } from '../../adapter.ts';

/**
 * The kind of request to a provider: a kind of model, a chat model through the Responses API, an image from others, or a
 * transcription in English.
 */
type TargetKind = ModelKind | 'responses' | 'edit' | 'translation';

type Headers = Readonly<Record<string, string>>;

export interface ProviderTarget {
  readonly apiKey: string | undefined;
  readonly url: string;
  /** The model's name at the provider, as JSON. */
  readonly modelText: string;
  /** For requests without streaming. */
  readonly wholeHeaders: Headers;
  readonly streamHeaders: Headers;
}

const defaultPaths: Record<TargetKind, string> = {
  chat: '/chat/completions',
  completion: '/completions',
  embedding: '/embeddings',
  image: '/images/generations',
  edit: '/images/edits',
  speech: '/audio/speech',
  transcription: '/audio/transcriptions',
  moderation: '/moderations',
  rerank: '/rerank',
  translation: '/audio/translations',
  responses: '/responses',
};

/** Entries live as long as the deployment's catalogue. */
const targets: Record<TargetKind, WeakMap<Deployment, ProviderTarget>> = {
  chat: new WeakMap(),
  completion: new WeakMap(),
  embedding: new WeakMap(),
  image: new WeakMap(),
  edit: new WeakMap(),
  speech: new WeakMap(),
  transcription: new WeakMap(),
  moderation: new WeakMap(),
  rerank: new WeakMap(),
  translation: new WeakMap(),
  responses: new WeakMap(),
};

export function providerTargetOf({ deployment, apiKey }: UpstreamTarget, kind: TargetKind): ProviderTarget {
  const before = targets[kind].get(deployment);
  // The key may be an access token, which changes when it is renewed.
  if (before !== undefined && before.apiKey === apiKey) return before;
  const target = {
    apiKey,
    url: urlOf(deployment, kind),
    modelText: JSON.stringify(`${deployment.provider.quirks.modelPrefix ?? ''}${deployment.model}`),
    wholeHeaders: headersOf(deployment, { accept: 'application/json', apiKey }),
    streamHeaders: headersOf(deployment, { accept: 'text/event-stream', apiKey }),
  };
  targets[kind].set(deployment, target);
  return target;
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

function urlOf({ provider, model }: Deployment, kind: TargetKind): string {
  const { baseUrl, quirks } = provider;
  const path = (ownPath(quirks, kind) ?? defaultPaths[kind]).replaceAll('{model}', encodeURIComponent(model));
  const url = `${withoutTrailingSlashes(baseUrl)}${path}`;
  const query = new URLSearchParams(quirks.query).toString();
  return query === '' ? url : `${url}?${query}`;
}

/** The path of chat models, where they are asked through the Responses API. */
function ownPath(quirks: Quirks, kind: TargetKind): string | undefined {
  if (kind === 'responses') return quirks.paths?.chat;
  if (kind === 'chat' || kind === 'completion' || kind === 'embedding') return quirks.paths?.[kind];
  return quirks[`${kind}Path`];
}
