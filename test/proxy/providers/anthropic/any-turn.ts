/** Turns as Anthropic's models generate them: signed thinking, texts and calls in any order. */
import fc from 'fast-check';
import {
  block,
  end,
  json,
  type ProviderEventObject,
  response,
  signature,
  startUsage,
  text,
  textBlock,
  thinking,
  thinkingBlock,
} from './message-events.ts';

export type TurnPart =
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: object };

const word = fc.stringMatching(/^[a-z]{1,8}$/);
const part: fc.Arbitrary<TurnPart> = fc.oneof(
  fc
    .tuple(fc.oneof(word, fc.constant('')), word)
    .map(([thought, of]) => ({ type: 'thinking' as const, thinking: thought, signature: `c2ln${of}` })),
  word.map((data) => ({ type: 'redacted_thinking' as const, data })),
  word.map((said) => ({ type: 'text' as const, text: said })),
  word.map((city) => ({ type: 'tool_use' as const, id: '', name: 'weather', input: { city } })),
);

/** With a text or a call. A model generates no two texts in a row. */
export const anyTurn: fc.Arbitrary<readonly TurnPart[]> = fc
  .array(part, { minLength: 1, maxLength: 8 })
  .map((parts) => parts.filter(({ type }, index) => type !== 'text' || parts[index - 1]?.type !== 'text'))
  .map((parts) => parts.map((each, index) => (each.type === 'tool_use' ? { ...each, id: `toolu_${index}` } : each)))
  .filter((parts) => parts.some(({ type }) => type === 'text' || type === 'tool_use'));

export function callsOf(turn: readonly TurnPart[]): string[] {
  return turn.flatMap((each) => (each.type === 'tool_use' ? [each.id] : []));
}

/** The thinking before anything else. */
export function leadingThoughtsOf(turn: readonly TurnPart[]): readonly TurnPart[] {
  const last = turn.findIndex(({ type }) => type === 'text' || type === 'tool_use');
  return turn.slice(0, last);
}

const stopReasonOf = (turn: readonly TurnPart[]) => (callsOf(turn).length > 0 ? 'tool_use' : 'end_turn');

/** The message, as JSON. */
export function messageOf(turn: readonly TurnPart[]): string {
  const head = { id: 'msg_01Abc', type: 'message', role: 'assistant', model: 'claude-x', stop_sequence: null };
  return JSON.stringify({ ...head, content: turn, stop_reason: stopReasonOf(turn), usage: startUsage });
}

export function eventsOf(turn: readonly TurnPart[]): readonly ProviderEventObject[] {
  return [...response(...turn.map((each, index) => eventsOfPart(each, index))), ...end(stopReasonOf(turn))];
}

function eventsOfPart(each: TurnPart, index: number): ProviderEventObject[] {
  switch (each.type) {
    case 'text':
      return block(index, textBlock, [text(each.text)]);
    case 'thinking': {
      const thoughts = each.thinking === '' ? [] : [thinking(each.thinking)];
      return block(index, thinkingBlock, [...thoughts, signature(each.signature)]);
    }
    case 'tool_use':
      return block(index, { ...each, input: {} }, [json(JSON.stringify(each.input))]);
    case 'redacted_thinking':
      return block(index, each);
  }
}
