/** How much the model may think: a token budget, or an effort. */
import { Type } from '@sinclair/typebox';
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

export function reasoningOf({ thinking, output_config }: MessagesRequest): Pick<ChatRequest, 'reasoning'> {
  const mode = thinking ? readTagged(thinkingModes, thinking, 'thinking') : undefined;
  if (mode?.type === 'disabled') return {};
  if (mode?.type === 'enabled') return { reasoning: { max_tokens: mode.budget_tokens } };
  const effort = output_config?.effort ?? (mode === undefined ? undefined : defaultEffort);
  return effort === undefined ? {} : { reasoning: { effort } };
}
