/** Cohere's second API. Its chat models are served over the one that is compatible with OpenAI's. */

import type { RerankCall } from '../../nouns/call.ts';
import { WholeLines } from '../../nouns/framing/framing.ts';
import type { Deployment } from '../../pricing/catalogue.ts';
import type { Adapter, PromptSize, UpstreamRequest, UpstreamTarget } from '../adapter.ts';
import { removedBy } from '../openai/request/known-parameters.ts';
import { providerTargetOf } from '../openai/request/provider-request.ts';
import { readFailure } from '../openai/response/failure-message.ts';
import { readRanking } from '../ranking.ts';

export const cohereAdapter: Adapter = {
  operations: {
    rerank: { measurePrompt, buildRequest, readBody: readRanking },
  },
  readFailure,
  openFraming: () => new WholeLines(),
};

const known: ReadonlySet<string> = new Set([
  ...['model', 'query', 'documents', 'top_n', 'return_documents', 'max_tokens_per_doc'],
]);

/** Throws GatewayError `unsupported_parameter` for what it does not know. */
function measurePrompt({ body, bytes }: RerankCall, { provider: { quirks } }: Deployment): PromptSize {
  removedBy(body, { known, quirks });
  return { bytes, hasLongMedia: false };
}

function buildRequest({ body, promptTexts }: RerankCall, target: UpstreamTarget): UpstreamRequest {
  const { url, wholeHeaders } = providerTargetOf(target, 'rerank');
  const [query, ...documents] = promptTexts;
  const { top_n, max_tokens_per_doc } = body;
  return {
    url,
    headers: wholeHeaders,
    body: JSON.stringify({
      model: target.deployment.model,
      query,
      documents,
      top_n: top_n ?? undefined,
      max_tokens_per_doc: max_tokens_per_doc ?? undefined,
    }),
  };
}
