/** The scripted provider's responses for tests of messages and deltas. Always 11 tokens in, 7 out. */
import { rawResponse } from '../../../harness/providers/scripted-provider.ts';

const head = { id: 'chatcmpl-1', created: 1_790_000_000, model: 'upstream' };
const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };

/** A whole chat completion with this message. */
export function messageResponse(message: object, finish_reason = 'stop') {
  const choice = { index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason };
  return rawResponse(JSON.stringify({ ...head, object: 'chat.completion', choices: [choice], usage }));
}

/** A stream of these deltas. */
export function deltasResponse(deltas: readonly object[], finish = 'stop') {
  const object = 'chat.completion.chunk';
  const chunk = (delta: object, finish_reason: string | null) => ({
    ...head,
    object,
    choices: [{ index: 0, delta, finish_reason }],
  });
  const chunks = [
    chunk({ role: 'assistant', content: '' }, null),
    ...deltas.map((delta) => chunk(delta, null)),
    chunk({}, finish),
    { ...head, object, choices: [], usage },
  ];
  const text = chunks.map((value) => `data: ${JSON.stringify(value)}\n\n`).join('');
  return rawResponse(`${text}data: [DONE]\n\n`, 'text/event-stream');
}
