/** A whole answer: read, metered, settled, and only then given to the client. */
import { estimateTextTokens } from '../metering/estimate-tokens.ts';
import type { RunningRequest } from '../settlement/running-request.ts';
import { answerMaxBytes } from '../upstream/limits.ts';
import { readText } from '../upstream/read-text.ts';
import type { Answer } from '../upstream/send.ts';
import { UpstreamFailure } from '../upstream/upstream-failure.ts';

export async function answerBody(answer: Answer, running: RunningRequest, headers: Headers): Promise<Response> {
  const text = await readAnswer(answer.response);
  const body = answer.adapter.readBody(text);
  const charge = await running.settle(body.usage, () => sumOfTokens(body.outputTexts));
  headers.set('content-type', 'application/json');
  headers.set('x-cost-usd', charge.costUsd);
  return new Response(body.render(charge), { headers });
}

async function readAnswer(response: Response): Promise<string> {
  try {
    return await readText(response, answerMaxBytes);
  } catch (cause) {
    if (cause instanceof UpstreamFailure) throw cause;
    throw new UpstreamFailure('cut', 'The provider broke off its answer.', { cause });
  }
}

async function sumOfTokens(texts: readonly string[]): Promise<number> {
  let tokens = 0;
  for (const text of texts) tokens += await estimateTextTokens(text);
  return tokens;
}
