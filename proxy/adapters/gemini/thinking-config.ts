/** How much a model may think before it answers. */

import { GatewayError } from '../../../shared/errors.ts';
import type { JsonRecord } from '../../json/record.ts';
import type { ChatRequest } from '../../request/chat-request.ts';

/** Google's own figures for OpenAI's words: https://ai.google.dev/gemini-api/docs/openai#thinking. */
const budgets: Readonly<Record<string, number>> = {
  none: 0,
  minimal: 1024,
  low: 1024,
  medium: 8192,
  high: 24_576,
  xhigh: 24_576,
  max: 24_576,
};
/** The least that every thinking model takes. */
const budgetMin = 512;

/** Undefined where the client leaves it to the model. Throws GatewayError `invalid_parameter`. */
export function thinkingConfigOf(body: ChatRequest, outputCap: number): JsonRecord | undefined {
  const wanted = body.reasoning?.max_tokens ?? budgetOfEffort(body);
  if (wanted === undefined) return undefined;
  if (wanted === 0) return { thinkingBudget: 0, includeThoughts: false };
  // Thoughts count towards the output cap; half of it is kept for the answer.
  const thinkingBudget = Math.max(Math.min(wanted, Math.floor(outputCap / 2)), Math.min(wanted, budgetMin));
  return { thinkingBudget, includeThoughts: true };
}

function budgetOfEffort(body: ChatRequest): number | undefined {
  const param = body.reasoning_effort ? 'reasoning_effort' : 'reasoning.effort';
  const effort = body.reasoning_effort ?? body.reasoning?.effort ?? undefined;
  if (effort === undefined) return undefined;
  if (Object.hasOwn(budgets, effort)) return budgets[effort];
  throw new GatewayError(
    'invalid_parameter',
    `Invalid value for '${param}': expected one of ${Object.keys(budgets).join(', ')}.`,
    { param },
  );
}
