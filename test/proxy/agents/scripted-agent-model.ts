/**
 * A model that works like one behind an agent: it calls the given tools, one a turn, and ends with a text. Requests
 * other than the task, such as for a title, get a text immediately. It speaks OpenAI's chat completions.
 */
import { usageOf } from '../../../local/demo-provider/usage.ts';
import { asArray, asRecord } from '../../../proxy/nouns/json/record.ts';
import { deltasResponse, messageResponse } from '../../harness/providers/completions.ts';
import type { Behaviour, Truth } from '../../harness/providers/scripted-provider.ts';

/** A call that the model makes when the tools of the request have a function of this name. */
export interface Step {
  readonly tool: string;
  readonly arguments: object;
}

export const finalText = 'The note is written.';

/** What each request costs the provider. */
export const tokensOfEach = usageOf(1_000, 50);

export function agentModel(steps: readonly Step[]): Behaviour {
  return (truth, request) => {
    const done = asArray(truth.body.messages).filter((message) => asRecord(message).role === 'tool').length;
    const step = steps[done];
    const calls = step !== undefined && offers(truth, step.tool);
    const message = calls ? callOf(step, done) : { content: finalText };
    const finish = calls ? 'tool_calls' : 'stop';
    truth.ended = true;
    return truth.body.stream === true
      ? deltasResponse([message], finish, tokensOfEach)(truth, request)
      : messageResponse(message, finish, tokensOfEach)(truth, request);
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
