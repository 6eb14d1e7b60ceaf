/** `POST /v1/rerank`: a document is as relevant as the share of the query's words that it has. */
import { isObject } from '../../shared/members.ts';
import { RequestError } from './errors.ts';
import { requireModel } from './models.ts';

const documentsMax = 1_000;
const documentsPerSearch = 100;

export function rank(body: unknown): Response {
  if (!isObject(body)) throw new RequestError('The body must be a JSON object.');
  requireModel(body, 'rerank');
  const { query, documents, top_n: wanted } = body;
  if (typeof query !== 'string' || query === '') throw new RequestError("'query' must be a text.", { param: 'query' });
  if (!isListOfTexts(documents)) {
    throw new RequestError(`'documents' must be a list of 1 to ${documentsMax} texts.`, { param: 'documents' });
  }
  const words = wordsOf(query);
  const results = documents
    .map((text, index) => ({ index, relevance_score: shareOf(words, wordsOf(text)) }))
    .sort((one, other) => other.relevance_score - one.relevance_score)
    .slice(0, typeof wanted === 'number' ? wanted : documents.length);
  const billed = { search_units: Math.ceil(documents.length / documentsPerSearch) };
  return Response.json({ id: crypto.randomUUID(), results, meta: { billed_units: billed } });
}

function isListOfTexts(value: unknown): value is string[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > documentsMax) return false;
  return value.every((text) => typeof text === 'string');
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}

function shareOf(words: ReadonlySet<string>, found: ReadonlySet<string>): number {
  return words.size === 0 ? 0 : words.intersection(found).size / words.size;
}
