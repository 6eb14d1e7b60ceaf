/**
 * How much the model may think: a token budget, or an effort. Anthropic's effort is about the whole response, so it does not ask
 * for thinking.
 */
import { Type } from '@sinclair/typebox';
import type { ChatCall } from '../../../nouns/call.ts';
import type { ChatRequest } from '../../../nouns/requests/chat-request.ts';
import { readTagged } from './read-tagged.ts';
import type { MessagesRequest } from './request-schema.ts';

const budgetMin = 1_024;

const thinkingModes = {
  enabled: Type.Object({
    type: Type.Literal('enabled'),
    budget_tokens: Type.Integer({ minimum: budgetMin, expected: `an integer of at least ${budgetMin}` }),
  }),
  disabled: Type.Object({ type: Type.Literal('disabled') }),
  adaptive: Type.Object({ type: Type.Literal('adaptive') }),
};

/** Anthropic's default for a request with `thinking` and without an effort. */
const defaultEffort = 'high';

interface RequestedReasoning extends Pick<ChatCall, 'effortAlone'> {
  readonly parameters: Pick<ChatRequest, 'reasoning'>;
}

export function reasoningOf({ thinking, output_config }: MessagesRequest): RequestedReasoning {
  const mode = thinking ? readTagged(thinkingModes, thinking, 'thinking') : undefined;
  const effort = output_config?.effort ?? undefined;
  if (mode?.type === 'enabled') return { parameters: { reasoning: { max_tokens: mode.budget_tokens } } };
  if (mode?.type === 'adaptive') return { parameters: { reasoning: { effort: effort ?? defaultEffort } } };
  if (effort === undefined) return { parameters: {} };
  // To models of other vendors, an effort is how much they reason.
  return { parameters: mode === undefined ? { reasoning: { effort } } : {}, effortAlone: effort };
}
