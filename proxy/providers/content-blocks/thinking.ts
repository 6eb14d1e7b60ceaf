/**
 * How much an Anthropic model may think. Older models take a token budget, which is part of the output cap; newer ones
 * take an effort and decide themselves. If thinking and something else in the request exclude each other, the other one
 * wins: a response with less thinking is more useful than a refusal.
 */
import { invalidParameter } from '../../../shared/http/parameter-errors.ts';
import type { ChatCall } from '../../nouns/call.ts';
import type { ChatRequest } from '../../nouns/requests/chat-request.ts';

export interface Reasoning {
  readonly thinking?: { readonly type: 'enabled'; readonly budget_tokens: number } | typeof adaptive;
  readonly effort?: string;
}

const adaptive = { type: 'adaptive', display: 'summarized' } as const;

/** The least budget that Anthropic accepts. */
const budgetMin = 1024;
/** What thinking must leave of the output cap for the response itself. */
const responseTokensMin = 256;

const efforts: ReadonlyMap<string, { budget: number; effort: string }> = new Map([
  ['minimal', { budget: budgetMin, effort: 'low' }],
  ['low', { budget: budgetMin, effort: 'low' }],
  ['medium', { budget: 2048, effort: 'medium' }],
  ['high', { budget: 4096, effort: 'high' }],
  ['xhigh', { budget: 8192, effort: 'xhigh' }],
  ['max', { budget: 16_384, effort: 'max' }],
]);

export type ReasoningCall = Pick<ChatCall, 'body' | 'effortAlone'>;

export interface ReasoningContext {
  readonly outputCap: number;
  readonly control: 'budget' | 'effort';
  /** Whether a tool has to be called, which excludes thinking. */
  readonly forcesTool: boolean;
  readonly canStartWithThinking: boolean;
}

/** Throws GatewayError for unknown efforts. */
export function buildReasoning({ body, effortAlone }: ReasoningCall, context: ReasoningContext): Reasoning {
  // Models that take a token budget have no effort.
  if (effortAlone !== undefined) return context.control === 'effort' ? { effort: effortAlone } : {};
  const requested = requestedBy(body);
  if (requested === undefined) return {};
  const { forcesTool, canStartWithThinking } = context;
  if (context.control === 'effort') return { effort: requested.effort, ...(forcesTool ? {} : { thinking: adaptive }) };
  const budget = Math.min(Math.max(requested.budget, budgetMin), context.outputCap - responseTokensMin);
  if (forcesTool || budget < budgetMin || !canStartWithThinking) return {};
  return { thinking: { type: 'enabled', budget_tokens: budget } };
}

function requestedBy({ reasoning, reasoning_effort }: ChatRequest): { budget: number; effort: string } | undefined {
  const name = reasoning?.effort ?? reasoning_effort ?? undefined;
  if (name !== undefined && name !== 'none' && !efforts.has(name)) {
    const param = reasoning?.effort ? 'reasoning.effort' : 'reasoning_effort';
    throw invalidParameter(param, `one of none, ${[...efforts.keys()].join(', ')}`);
  }
  if (reasoning?.max_tokens) return { budget: reasoning.max_tokens, effort: effortOfBudget(reasoning.max_tokens) };
  return name === undefined ? undefined : efforts.get(name);
}

/** For models that take no budget. */
export function effortOfBudget(budget: number): string {
  const fitting = [...efforts.values()].find((candidate) => candidate.effort === 'high' || budget <= candidate.budget);
  return fitting?.effort ?? 'high';
}
