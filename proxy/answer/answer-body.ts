/** A whole answer: read, metered, settled, and only then given to the client. */
import type { Dialect } from '../dialects/dialect.ts';
import { estimateTextTokens } from '../metering/estimate-tokens.ts';
import type { Call } from '../request/call.ts';
import type { RunningRequest } from '../settlement/running-request.ts';
import { answerMaxBytes } from '../upstream/limits.ts';
import { readText } from '../upstream/read-text.ts';
import type { Answer } from '../upstream/send.ts';
import { UpstreamFailure } from '../upstream/upstream-failure.ts';

export interface Delivery {
  readonly call: Call;
  readonly running: RunningRequest;
  readonly headers: Headers;
  readonly dialect: Dialect | undefined;
}

export async function answerBody(answer: Answer, delivery: Delivery): Promise<Response> {
  const { call, running, headers, dialect } = delivery;
  const body = answer.operation.readBody(await readAnswer(answer.response), call, answer.deployment);
  const charge = await running.settle(body.usage, () => sumOfTokens(body.outputTexts));
  headers.set('content-type', 'application/json');
  headers.set('x-cost-usd', charge.costUsd);
  const text = body.render(charge);
  // What an adapter of ours has rendered for a chat model is a chat completion.
  const spoken = dialect?.renderBody(JSON.parse(text), { call, charge, requestId: running.requestId });
  return new Response(spoken ?? text, { headers });
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
