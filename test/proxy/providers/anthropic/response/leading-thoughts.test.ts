/** A chat message has a place for signed thinking at its beginning alone, so its client gets no other. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { ChatCompletion } from '../../../../../proxy/nouns/chat-completion.ts';
import { noUsage } from '../../../../../proxy/nouns/usage.ts';
import { anthropicAdapter } from '../../../../../proxy/providers/anthropic/anthropic-adapter.ts';
import { anyTurn, eventsOf, leadingThoughtsOf, messageOf, type TurnPart } from '../any-turn.ts';
import { assistant, chatCall, target, upstreamBody, user } from '../chat-call.ts';
import { assemble, runEvents } from '../message-events.ts';

const { chat } = anthropicAdapter.operations;
if (chat === undefined) throw new Error('the adapter has no chat');

function wholeMessage(turn: readonly TurnPart[]) {
  const body = chat?.readBody(messageOf(turn), chatCall(), target().deployment);
  const completion: ChatCompletion = JSON.parse(body?.render({ usage: noUsage, costUsd: '0' }) ?? '');
  const [choice] = completion.choices;
  if (choice === undefined) throw new Error('the completion has no choice');
  return choice.message;
}

test('a chat completion has the signed thinking that its turn begins with, whole and streamed', () => {
  fc.assert(
    fc.property(anyTurn, (turn) => {
      const leading = leadingThoughtsOf(turn);
      const whole = wholeMessage(turn);
      expect<unknown>(whole.thinking_blocks ?? []).toEqual(leading);
      expect(whole).not.toHaveProperty('turn_blocks');
      const streamed = assemble(runEvents(eventsOf(turn)).chunks);
      expect<unknown>(streamed.thinkingBlocks).toEqual(leading);
      expect(streamed.reasoning).toBe(whole.reasoning_content ?? '');
    }),
    { numRuns: 200 },
  );
});

test('a chat message that comes back begins with the thinking that its turn began with', () => {
  fc.assert(
    fc.property(anyTurn, (turn) => {
      const { role: _, refusal: __, ...message } = wholeMessage(turn);
      const { messages } = upstreamBody({ messages: [user('Go'), assistant('', message), user('More')] });
      const [, returned] = messages as { content: { type: string }[] }[];
      const thoughts = returned?.content.filter(({ type }) => type.endsWith('thinking'));
      expect<unknown>(thoughts).toEqual(leadingThoughtsOf(turn));
      expect<unknown>(returned?.content.slice(0, thoughts?.length)).toEqual(thoughts);
    }),
    { numRuns: 200 },
  );
});
