/** A model that always streams the same text. */
import type { Behaviour } from '../../harness/providers/scripted-provider.ts';

export function answerText(text: string): Behaviour {
  return (truth) => {
    truth.deliveredTokens = 1;
    truth.ended = true;
    const head = {
      id: 'chatcmpl-scripted',
      object: 'chat.completion.chunk',
      created: 1_700_000_000,
      model: 'scripted',
    };
    const chunks = [
      { ...head, choices: [{ index: 0, delta: { role: 'assistant', content: text }, finish_reason: null }] },
      { ...head, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      { ...head, choices: [], usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 } },
    ];
    const events = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');
    return new Response(`${events}data: [DONE]\n\n`, { headers: { 'content-type': 'text/event-stream' } });
  };
}
