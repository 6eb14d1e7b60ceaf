/** A ranking as Cohere, Jina and OpenAI-compatible providers return it, and as our endpoint does: Cohere's form. */
import { isObject } from '../../shared/members.ts';
import type { RerankCall } from '../nouns/call.ts';
import { asArray, asIndex, asRecord, asText, type JsonRecord } from '../nouns/json/record.ts';
import { UpstreamFailure } from '../nouns/upstream-failure.ts';
import { noUsage, type RenderedCharge, readCount } from '../nouns/usage.ts';
import { renderEmbeddingUsage } from '../pricing/render-usage.ts';
import type { MadeUnits, UpstreamBody } from './adapter.ts';
import { readResponseObject } from './openai/response/read-response-object.ts';

/** Of usual length. A long one counts as several. */
const documentsPerSearch = 100;

interface Ranked {
  /** Of the document in the request. */
  readonly index: number;
  readonly score: number;
}

/** Throws UpstreamFailure if there is no ranking of the request's documents in it. */
export function readRanking(text: string, call: RerankCall): UpstreamBody {
  const response = readResponseObject(text);
  const ranking = asArray(response.results ?? response.data)
    .filter(isObject)
    .map((result) => readRanked(result, call));
  const indices = new Set(ranking.map(({ index }) => index));
  if (ranking.length === 0 || indices.size < ranking.length) throw malformed();
  const best = ranking.toSorted((one, other) => other.score - one.score).slice(0, call.resultsMax);
  return {
    usage: null,
    made: usedFor(response, call),
    outputTexts: [],
    render: (charge) => render({ id: asText(response.id), best }, call, charge),
  };
}

function readRanked({ index, relevance_score: score }: JsonRecord, { documents }: RerankCall): Ranked {
  const place = asIndex(index);
  if (place === undefined || place >= documents || typeof score !== 'number') throw malformed();
  return { index: place, score };
}

function malformed(): UpstreamFailure {
  return new UpstreamFailure('malformed', 'The provider returned a response without a ranking of the documents.');
}

/** Each of them has other names for it. */
function usedFor({ usage, meta }: JsonRecord, { documents }: RerankCall): MadeUnits {
  const { prompt_tokens: prompt, total_tokens: total } = asRecord(usage);
  const { billed_units: billed, tokens } = asRecord(meta);
  const { input_tokens: billedTokens, search_units: billedSearches } = asRecord(billed);
  const { input_tokens: input } = asRecord(tokens);
  const searches = readCount(billedSearches);
  const promptTokens = readCount(prompt) ?? readCount(total) ?? readCount(billedTokens) ?? readCount(input);
  return {
    units: { ...noUsage, searches: searches ?? Math.ceil(documents / documentsPerSearch) },
    estimated: searches === undefined ? ['searches'] : [],
    prompt: promptTokens === undefined ? undefined : { promptTokens },
  };
}

interface Ranking {
  readonly id: string | undefined;
  readonly best: readonly Ranked[];
}

function render({ id, best }: Ranking, { model, returned }: RerankCall, charge: RenderedCharge): string {
  const results = best.map(({ index, score }) => ({
    index,
    relevance_score: score,
    ...(returned !== undefined && { document: asDocument(returned[index]) }),
  }));
  const { promptTokens, searches } = charge.usage;
  const billed = searches > 0 ? { search_units: searches } : { input_tokens: promptTokens };
  const meta = { api_version: { version: '1' }, billed_units: billed };
  const own = JSON.stringify({ id: id ?? crypto.randomUUID(), model, results, meta });
  return `${own.slice(0, -1)},"usage":${renderEmbeddingUsage(charge)}}`;
}

function asDocument(sent: unknown): unknown {
  return typeof sent === 'string' ? { text: sent } : sent;
}
