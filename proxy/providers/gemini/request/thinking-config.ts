/** How much a model may think before it responds: a token budget, or a level if the provider needs one. */
import { invalidParameter } from '../../../../shared/http/parameter-errors.ts';
import type { JsonRecord } from '../../../nouns/json/record.ts';
import type { ChatRequest } from '../../../nouns/requests/chat-request.ts';

/** Google's own budgets for OpenAI's efforts: https://ai.google.dev/gemini-api/docs/openai#thinking. */
const budgets: Readonly<Record<string, number>> = {
  none: 0,
  minimal: 1024,
  low: 1024,
  medium: 8192,
  high: 24_576,
  xhigh: 24_576,
  max: 24_576,
};
/** The least budget that every thinking model accepts. */
const budgetMin = 512;

const levels = ['minimal', 'low', 'medium', 'high'] as const;
type Level = (typeof levels)[number];

/** Models with levels cannot turn thinking off. */
const levelsOfEfforts: Readonly<Record<string, Level>> = {
  none: 'minimal',
  minimal: 'minimal',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
  max: 'high',
};

/** Those that a model refuses: https://ai.google.dev/gemini-api/docs/thinking#thinking-levels. */
const refusedLevels: readonly { readonly models: RegExp; readonly refused: readonly Level[] }[] = [
  { models: /gemini-3-pro/, refused: ['minimal', 'medium'] },
  { models: /gemini-[\d.]+-pro/, refused: ['minimal'] },
];

/** Undefined if the request leaves it to the model. Throws GatewayError `invalid_parameter`. */
export function thinkingConfigOf(
  body: ChatRequest,
  { outputCap, control, model }: { outputCap: number; control: 'budget' | 'effort'; model: string },
): JsonRecord | undefined {
  const effort = effortOf(body);
  const budget = body.reasoning?.max_tokens ?? (effort === undefined ? undefined : budgets[effort]);
  if (budget === undefined) return undefined;
  if (control === 'effort') {
    return { thinkingLevel: levelOf(effort ?? effortFor(budget), model), includeThoughts: effort !== 'none' };
  }
  if (budget === 0) return { thinkingBudget: 0, includeThoughts: false };
  // Thinking counts towards the output cap; half of it is kept for the response.
  const thinkingBudget = Math.max(Math.min(budget, Math.floor(outputCap / 2)), Math.min(budget, budgetMin));
  return { thinkingBudget, includeThoughts: true };
}

function effortOf(body: ChatRequest): string | undefined {
  const param = body.reasoning_effort ? 'reasoning_effort' : 'reasoning.effort';
  const effort = body.reasoning_effort ?? body.reasoning?.effort ?? undefined;
  if (effort === undefined || Object.hasOwn(budgets, effort)) return effort;
  throw invalidParameter(param, `one of ${Object.keys(budgets).join(', ')}`);
}

/** The least effort with at least this budget. */
function effortFor(tokens: number): string {
  return ['low', 'medium'].find((effort) => tokens <= (budgets[effort] ?? 0)) ?? 'high';
}

/** The least level of the model that is not below the effort. */
function levelOf(effort: string, model: string): Level {
  const { refused = [] } = refusedLevels.find(({ models }) => models.test(model)) ?? {};
  const least = levels.indexOf(levelsOfEfforts[effort] ?? 'high');
  return levels.slice(least).find((level) => !refused.includes(level)) ?? 'high';
}
