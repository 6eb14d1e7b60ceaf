/** POST /v1/embeddings: a vector for each text. */
import { checkValue } from '../../../shared/http/check-value.ts';
import type { EmbeddingCall } from '../../nouns/call.ts';
import { readTexts } from '../../nouns/requests/token-ids.ts';
import { refuseUnpriced } from '../../nouns/requests/unpriced-parameters.ts';
import { embeddingRequestSchema } from './embedding-request.ts';

/** Throws GatewayError `missing_parameter`, `invalid_parameter` or `unsupported_parameter`. */
export function readEmbedding(value: object, text: string): EmbeddingCall {
  const body = checkValue(embeddingRequestSchema, value);
  refuseUnpriced(body);
  const inputs = readTexts(body.input);
  return {
    kind: 'embedding',
    model: body.model,
    stream: false,
    text,
    body,
    bytes: Buffer.byteLength(text),
    mediaParts: 0,
    promptTexts: inputs.texts,
    promptTokenIds: inputs.tokenIds,
    prompts: inputs.count,
  };
}
