/** How much a model may think before it answers: as a budget of tokens, or as a level where the provider wants that. */
import { GatewayError } from '../../../../shared/errors.ts';
import type { JsonRecord } from '../../../json/record.ts';
import type { ChatRequest } from '../../../request/chat-request.ts';

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

/** Models that think by level cannot be kept from it. */
const levels: Readonly<Record<string, string>> = {
  none: 'minimal',
  minimal: 'minimal',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
  max: 'high',
};

/** Undefined where the client leaves it to the model. Throws GatewayError `invalid_parameter`. */
export function thinkingConfigOf(
  body: ChatRequest,
  { outputCap, control }: { outputCap: number; control: 'budget' | 'effort' },
): JsonRecord | undefined {
  const effort = effortOf(body);
  const wanted = body.reasoning?.max_tokens ?? (effort === undefined ? undefined : budgets[effort]);
  if (wanted === undefined) return undefined;
  if (control === 'effort') {
    return { thinkingLevel: levels[effort ?? effortFor(wanted)], includeThoughts: effort !== 'none' };
  }
  if (wanted === 0) return { thinkingBudget: 0, includeThoughts: false };
  // Thoughts count towards the output cap; half of it is kept for the answer.
  const thinkingBudget = Math.max(Math.min(wanted, Math.floor(outputCap / 2)), Math.min(wanted, budgetMin));
  return { thinkingBudget, includeThoughts: true };
}

function effortOf(body: ChatRequest): string | undefined {
  const param = body.reasoning_effort ? 'reasoning_effort' : 'reasoning.effort';
  const effort = body.reasoning_effort ?? body.reasoning?.effort ?? undefined;
  if (effort === undefined || Object.hasOwn(budgets, effort)) return effort;
  throw new GatewayError(
    'invalid_parameter',
    `Invalid value for '${param}': expected one of ${Object.keys(budgets).join(', ')}.`,
    { param },
  );
}

/** The least effort that may think so much. */
function effortFor(tokens: number): string {
  return ['low', 'medium'].find((effort) => tokens <= (budgets[effort] ?? 0)) ?? 'high';
}
