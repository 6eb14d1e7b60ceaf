/** POST /v1/rerank: documents in the order of their relevance to a query. */

import { checkValue } from '../../../shared/http/check-value.ts';
import { isObject } from '../../../shared/members.ts';
import type { RerankCall } from '../../nouns/call.ts';
import { refuseUnpriced } from '../../nouns/requests/unpriced-parameters.ts';
import { rerankRequestSchema } from './rerank-request.ts';

/** Throws GatewayError `missing_parameter`, `invalid_parameter` or `unsupported_parameter`. */
export function readRerank(value: object, text: string): RerankCall {
  const body = checkValue(rerankRequestSchema, value);
  refuseUnpriced(body);
  const { documents, query } = body;
  return {
    kind: 'rerank',
    model: body.model,
    stream: false,
    text,
    body,
    bytes: Buffer.byteLength(text),
    mediaParts: 0,
    promptTexts: [query, ...documents.map((document) => (isObject(document) ? document.text : document))],
    documents: documents.length,
    resultsMax: Math.min(body.top_n ?? documents.length, documents.length),
    returned: body.return_documents === true ? documents : undefined,
  };
}
