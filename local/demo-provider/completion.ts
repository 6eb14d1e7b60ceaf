/** `POST /v1/completions`, the legacy endpoint: continues a text. */
import { isObject } from '../../shared/members.ts';
import { checkSampling, choicesMax } from './chat/chat-request.ts';
import { RequestError } from './errors.ts';
import { eventStream } from './event-stream.ts';
import { booleanField, integerField, objectField, stopField } from './fields.ts';
import { type Generation, generate } from './generation.ts';
import { outputBudget, requireModel } from './models.ts';
import { readTextInputs } from './text-inputs.ts';
import { type Usage, usageOf } from './usage.ts';

const promptsMax = 64;
const tokensByDefault = 16;

const continuation =
  ' … and here the demo model continues. It is a small program that comes with the gateway, not a language model, so ' +
  'it cannot know how your text would continue; but every token of this text is counted, limited and paid for in the ' +
  'same way as those of a real model.';

export function completeText(body: unknown, tokensPerSecond: number): Response {
  if (!isObject(body)) throw new RequestError('The body must be a JSON object.');
  const model = requireModel(body, 'completion');
  const prompts = readTextInputs(body, 'prompt', promptsMax);
  checkSampling(body);
  const promptTokens = prompts.reduce((sum, { tokens }) => sum + tokens, 0);
  const wanted = integerField(body, 'max_tokens', { min: 1, max: Number.MAX_SAFE_INTEGER }) ?? tokensByDefault;
  const limits = { tokensMax: outputBudget(promptTokens, wanted), stop: stopField(body) };
  const choices = integerField(body, 'n', { min: 1, max: choicesMax }) ?? 1;
  const generations = prompts.flatMap(() => Array.from({ length: choices }, () => generate(continuation, limits)));
  const completionTokens = generations.reduce((sum, generation) => sum + generation.completionTokens, 0);
  const usage = usageOf(promptTokens, completionTokens);
  const head = {
    id: `cmpl-demo-${crypto.randomUUID()}`,
    object: 'text_completion',
    created: Math.floor(Date.now() / 1000),
    model,
  };
  if (!booleanField(body, 'stream')) return Response.json({ ...head, choices: generations.map(wholeChoice), usage });
  const includesUsage = booleanField(objectField(body, 'stream_options') ?? {}, 'include_usage');
  return eventStream(chunks({ head, generations, usage, includesUsage }), tokensPerSecond);
}

function wholeChoice({ text, finishReason }: Generation, index: number): object {
  return { text, index, logprobs: null, finish_reason: finishReason };
}

function chunks(options: { head: object; generations: Generation[]; usage: Usage; includesUsage: boolean }): object[] {
  const usageField = options.includesUsage ? { usage: null } : {};
  const chunk = (index: number, text: string, reason: string | null) => ({
    ...options.head,
    choices: [{ text, index, logprobs: null, finish_reason: reason }],
    ...usageField,
  });
  const events = options.generations.flatMap(({ segments, finishReason }, index) => [
    ...segments.map((segment) => chunk(index, segment, null)),
    chunk(index, '', finishReason),
  ]);
  return options.includesUsage ? [...events, { ...options.head, choices: [], usage: options.usage }] : events;
}
