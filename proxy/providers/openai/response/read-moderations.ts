/** What an OpenAI-compatible provider says about each input. Few providers count the tokens. */
import { isObject } from '../../../../shared/members.ts';
import type { ModerationCall } from '../../../nouns/call.ts';
import { asArray, asRecord, asText, type JsonRecord } from '../../../nouns/json/record.ts';
import { UpstreamFailure } from '../../../nouns/upstream-failure.ts';
import { noUsage, readPromptUsage } from '../../../nouns/usage.ts';
import type { Deployment } from '../../../pricing/catalogue.ts';
import { renderEmbeddingUsage } from '../../../pricing/render-usage.ts';
import type { UpstreamBody } from '../../adapter.ts';
import { readResponseObject } from './read-response-object.ts';

/** Throws UpstreamFailure where an input has no result. */
export function readModerations(text: string, call: ModerationCall, { provider }: Deployment): UpstreamBody {
  const response = readResponseObject(text);
  const results = asArray(response.results).filter(isObject).map(describe);
  if (results.length !== call.prompts) {
    throw new UpstreamFailure('malformed', 'The provider returned a response without a result for each input.');
  }
  const usage = readPromptUsage(response.usage, provider.quirks);
  return {
    usage,
    ...(usage === null && { made: { units: noUsage } }),
    outputTexts: [],
    render: (charge) => {
      const own = JSON.stringify({
        id: asText(response.id) ?? `modr-${crypto.randomUUID()}`,
        model: call.model,
        results,
      });
      return `${own.slice(0, -1)},"usage":${renderEmbeddingUsage(charge)}}`;
    },
  };
}

function describe({ flagged, categories, category_scores: scores, category_applied_input_types: types }: JsonRecord) {
  return {
    flagged: flagged === true,
    categories: membersOf(categories, (value) => typeof value === 'boolean'),
    category_scores: membersOf(scores, (value) => typeof value === 'number'),
    ...(isObject(types) && { category_applied_input_types: membersOf(types, Array.isArray) }),
  };
}

function membersOf(value: unknown, isFit: (member: unknown) => boolean): JsonRecord {
  return Object.fromEntries(Object.entries(asRecord(value)).filter(([, member]) => isFit(member)));
}
