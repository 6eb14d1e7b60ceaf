/**
 * GET /v1/models and /v1/models/{id}: the models with their prices (interface §2.6). The list is rendered once per
 * catalogue, and its ETag saves clients that poll from downloading it again (RFC 9110 §13.1.2).
 */
import { matchesEtag } from '../../../shared/http/matches-etag.ts';
import {
  formatPricePerToken,
  formatRubPer100kTokens,
  formatRubPerUsd,
  type PicoUsdPerToken,
} from '../../../shared/money.ts';
import type { Catalogue, Model, RubRate } from '../../catalogue/catalogue.ts';

export interface ModelObject {
  readonly id: string;
  readonly object: 'model';
  readonly created: number;
  readonly owned_by: string;
  /** Beyond OpenAI's interface: what the model is for, and its token limits. */
  readonly kind: string;
  readonly context_length: number;
  readonly max_output_tokens: number;
  readonly pricing: {
    readonly prompt: string;
    readonly completion: string;
    /** Only if they differ from `prompt`, and `reasoning` from `completion`. */
    readonly cached_prompt?: string;
    readonly cache_write?: string;
    readonly reasoning?: string;
  };
  readonly pricing_rub: {
    readonly prompt_per_100k: string;
    readonly completion_per_100k: string;
    /** Only if `pricing` has them. */
    readonly cached_prompt_per_100k?: string;
    readonly cache_write_per_100k?: string;
    readonly reasoning_per_100k?: string;
    readonly currency: 'RUB';
    /** Beyond the interface: roubles per US dollar, the day of the rate, and its source. */
    readonly rate: string;
    readonly rate_date: string | null;
    readonly rate_source: 'cbr' | 'configured';
  };
}

interface RenderedList {
  readonly body: string;
  readonly etag: string;
}

const lists = new WeakMap<Catalogue, RenderedList>();

export function answerModelList(catalogue: Catalogue, request: Request): Response {
  const { body, etag } = listOf(catalogue);
  const headers = { etag, 'cache-control': 'no-cache', vary: 'origin' };
  if (matchesEtag(request.headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers });
  return new Response(body, { headers: { ...headers, 'content-type': 'application/json' } });
}

export function describeModel(model: Model, { perUsd, date, source }: RubRate): ModelObject {
  const { prompt, cachedPrompt, cacheWrite, completion, reasoning } = model.prices;
  const per100k = (price: PicoUsdPerToken) => formatRubPer100kTokens(price, perUsd);
  const differs = {
    cachedPrompt: cachedPrompt !== prompt,
    cacheWrite: cacheWrite !== prompt,
    reasoning: reasoning !== completion,
  };
  return {
    id: model.id,
    object: 'model',
    created: model.createdAt,
    owned_by: model.ownedBy,
    kind: model.kind,
    context_length: model.contextTokens,
    max_output_tokens: model.maxOutputTokens,
    pricing: {
      prompt: formatPricePerToken(prompt),
      completion: formatPricePerToken(completion),
      ...(differs.cachedPrompt && { cached_prompt: formatPricePerToken(cachedPrompt) }),
      ...(differs.cacheWrite && { cache_write: formatPricePerToken(cacheWrite) }),
      ...(differs.reasoning && { reasoning: formatPricePerToken(reasoning) }),
    },
    pricing_rub: {
      prompt_per_100k: per100k(prompt),
      completion_per_100k: per100k(completion),
      ...(differs.cachedPrompt && { cached_prompt_per_100k: per100k(cachedPrompt) }),
      ...(differs.cacheWrite && { cache_write_per_100k: per100k(cacheWrite) }),
      ...(differs.reasoning && { reasoning_per_100k: per100k(reasoning) }),
      currency: 'RUB',
      rate: formatRubPerUsd(perUsd),
      rate_date: date,
      rate_source: source,
    },
  };
}

function listOf(catalogue: Catalogue): RenderedList {
  let list = lists.get(catalogue);
  if (list === undefined) {
    const data = [...catalogue.models.values()].map((model) => describeModel(model, catalogue.rubRate));
    const body = JSON.stringify({ object: 'list', data });
    list = { body, etag: `"${new Bun.CryptoHasher('sha256').update(body).digest('base64url')}"` };
    lists.set(catalogue, list);
  }
  return list;
}
