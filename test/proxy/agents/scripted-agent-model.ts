/**
 * A model that works like one behind an agent: it calls the given tools, one a turn, and ends with a text. Requests
 * other than the task, such as for a title, get a text immediately. It speaks OpenAI's chat completions.
 */
import { asArray, asRecord } from '../../../proxy/nouns/json/record.ts';
import type { Behaviour, Truth } from '../../harness/providers/scripted-provider.ts';

/** A call that the model makes when the tools of the request have a function of this name. */
export interface Step {
  readonly tool: string;
  readonly arguments: object;
}

export const finalText = 'The note is written.';

/** What each request costs the provider. */
export const tokensOfEach = { prompt_tokens: 1_000, completion_tokens: 50, total_tokens: 1_050 };

export function agentModel(steps: readonly Step[]): Behaviour {
  return (truth) => {
    const done = asArray(truth.body.messages).filter((message) => asRecord(message).role === 'tool').length;
    const step = steps[done];
    const message = step !== undefined && offers(truth, step.tool) ? callOf(step, done) : { content: finalText };
    truth.ended = true;
    return truth.body.stream === true ? streamOf(message) : wholeOf(message);
  };
}

/** The names of the functions that a request offers. */
export function offeredTools({ body }: Pick<Truth, 'body'>): string[] {
  return asArray(body.tools).map((tool) => String(asRecord(asRecord(tool).function).name));
}

function offers(truth: Truth, name: string): boolean {
  return offeredTools(truth).includes(name);
}

function callOf({ tool, arguments: input }: Step, index: number): object {
  const called = { name: tool, arguments: JSON.stringify(input) };
  return { content: null, tool_calls: [{ index: 0, id: `call_${index}`, type: 'function', function: called }] };
}

const head = { id: 'chatcmpl-1', created: 1_790_000_000, model: 'scripted-model' };

function wholeOf(message: object): Response {
  const choice = { index: 0, message: { role: 'assistant', ...message }, finish_reason: finishOf(message) };
  return Response.json({ ...head, object: 'chat.completion', choices: [choice], usage: tokensOfEach });
}

function streamOf(message: object): Response {
  const chunk = (delta: object, finish_reason: string | null) => ({
    ...head,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason }],
  });
  const chunks = [
    chunk({ role: 'assistant', ...message }, null),
    chunk({}, finishOf(message)),
    { ...head, object: 'chat.completion.chunk', choices: [], usage: tokensOfEach },
  ];
  const text = chunks.map((value) => `data: ${JSON.stringify(value)}\n\n`).join('');
  return new Response(`${text}data: [DONE]\n\n`, { headers: { 'content-type': 'text/event-stream' } });
}

function finishOf(message: object): string {
  return 'tool_calls' in message ? 'tool_calls' : 'stop';
}
