/** POST /v1/completions: continues texts. For each prompt, `best_of` continuations are generated and `n` returned. */
import { checkValue } from '../../../shared/http/check-value.ts';
import { invalidParameter } from '../../../shared/http/parameter-errors.ts';
import type { CompletionCall } from '../../nouns/call.ts';
import { readTexts } from '../../nouns/requests/token-ids.ts';
import { refuseUnpriced } from '../../nouns/requests/unpriced-parameters.ts';
import { type CompletionRequest, completionRequestSchema } from './completion-request.ts';

/** Throws GatewayError `missing_parameter`, `invalid_parameter` or `unsupported_parameter`. */
export function readCompletion(value: object, text: string): CompletionCall {
  const body = checkValue(completionRequestSchema, value);
  refuseUnpriced(body);
  const prompts = readTexts(body.prompt);
  const n = body.n ?? 1;
  return {
    kind: 'completion',
    model: body.model,
    stream: body.stream ?? false,
    includeUsage: body.stream_options?.include_usage ?? false,
    n,
    choices: prompts.count * bestOf(body, n),
    outputCap: body.max_tokens ?? undefined,
    text,
    body,
    bytes: Buffer.byteLength(text),
    mediaParts: 0,
    promptTexts: prompts.texts,
    promptTokenIds: prompts.tokenIds,
    prompts: prompts.count,
  };
}

function bestOf({ best_of: bestOf, stream }: CompletionRequest, n: number): number {
  if (bestOf === undefined || bestOf === null) return n;
  if (bestOf < n) throw invalidParameter('best_of', `at least 'n', which is ${n}`);
  if (stream === true && bestOf > n) throw invalidParameter('best_of', "the value of 'n', because 'stream' is true");
  return bestOf;
}
