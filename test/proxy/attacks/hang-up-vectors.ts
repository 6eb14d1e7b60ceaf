/** Prompts and outputs that are made up, or happen, to look smaller than they are: what docs/hang-ups.md shows. */
import { samples } from '../../harness/providers/text-samples.ts';
import type { Script } from '../../harness/providers/tokenizing.ts';

/** A request whose charge is easily estimated wrong. */
export interface Vector {
  readonly name: string;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly output?: Partial<Omit<Script, 'mayEnd'>>;
  readonly model?: string;
  /** The response is read to its end after the client has left. */
  readonly isRead?: boolean;
  /** How many responses were read to their end before. */
  readonly finishedBefore?: number;
}

export const sample = (name: string, times = 1) => (samples[name] ?? '').repeat(times);
const asking = (content: unknown) => ({ messages: [{ role: 'user', content }] });
const long = sample('English', 80);
/** Characters in an order that has no runs. */
const run = (firstCode: number, count: number, length: number) =>
  Array.from({ length }, (_, index) => String.fromCodePoint(firstCode + ((index * index + index) % count))).join('');
const marks = (length: number) => run(0x21, 15, length);
const unspaced = (times: number) => sample('Russian', times).replaceAll(/[^а-яё]/gi, '');
const schema = {
  type: 'object',
  properties: Object.fromEntries(
    ['city', 'country', 'unit', 'days_ahead', 'include_wind', 'language'].map((name) => [
      name,
      { type: 'string', description: `The ${name.replaceAll('_', ' ')} to ask for.`, enum: ['first', 'second'] },
    ]),
  ),
  required: ['city', 'unit'],
  additionalProperties: false,
};
const functions = Array.from({ length: 30 }, (_, index) => ({ name: `get_weather_${index}`, parameters: schema }));
const toolCall = { id: 'c', type: 'function', function: { name: 'f', arguments: sample('JSON', 5) } };
const picture = { type: 'image_url', image_url: { url: 'https://pictures.test/one.png' } };

export const vectors: readonly Vector[] = [
  {
    name: 'prompt: 400 KB of English after 16 Ki spaces',
    body: asking(`${sample('blanks')}${sample('English', 800)}`),
  },
  { name: 'prompt: 200,000 punctuation marks', body: asking(marks(200_000)) },
  { name: 'prompt: spaces from U+2000 to U+200A', body: asking(run(0x2000, 11, 20_000)) },
  { name: 'prompt: variation selectors', body: asking(run(0xfe00, 9, 20_000)) },
  { name: 'prompt: Russian without spaces', body: asking(unspaced(40)) },
  ...['Russian', 'Chinese', 'Japanese', 'Arabic', 'emoji', 'code', 'JSON', 'numbers', 'base64', 'hex'].map((name) => ({
    name: `prompt: ${name}`,
    body: asking(sample(name, 10)),
  })),
  { name: 'prompt: 32 Ki spaces between words', body: asking(`word${sample('blanks')}word${sample('blanks')}${long}`) },
  { name: 'prompt: text in `functions`', body: { functions: [{ name: 'f', description: long }] } },
  { name: 'prompt: text in `documents`', body: { documents: [{ title: 'One', text: long }] } },
  {
    name: 'prompt: text in `reasoning_content`',
    body: { messages: [{ role: 'assistant', content: 'Hm.', reasoning_content: long }, ...asking('And?').messages] },
  },
  {
    name: 'prompt: arguments of an earlier tool call',
    body: {
      messages: [
        { role: 'assistant', content: null, tool_calls: [toolCall] },
        { role: 'tool', tool_call_id: 'c', content: 'done' },
      ],
    },
  },
  { name: 'prompt: 30 tools', body: { tools: functions.map((each) => ({ type: 'function', function: each })) } },
  {
    name: 'prompt: JSON schema in `response_format`',
    body: { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: { anyOf: functions } } } },
  },
  {
    name: 'prompt: 20 images',
    model: 'pictures',
    body: asking([{ type: 'text', text: 'What are these?' }, ...Array.from({ length: 20 }, () => picture)]),
    isRead: true,
  },
  ...['English', 'Russian', 'Korean', 'emoji', 'code', 'JSON', 'base64'].map((name) => ({
    name: `output: ${name}`,
    output: { text: sample(name, 4), chunkCharacters: 4 },
  })),
  { name: 'output: Russian without spaces', output: { text: unspaced(4) } },
  { name: 'output: punctuation marks', output: { text: marks(3_000) } },
  { name: 'output: spaces from U+2000 to U+200A', output: { text: run(0x2000, 11, 1_000) } },
  {
    name: 'output: dense Chinese, 24 characters per chunk',
    output: { text: sample('Chinese', 4), chunkCharacters: 24 },
  },
  { name: 'output: Chinese, one character per chunk', output: { text: sample('Chinese', 4), chunkCharacters: 1 } },
  { name: 'output: code, 500 characters per chunk', output: { text: sample('code', 4), chunkCharacters: 500 } },
  { name: 'output: tool-call arguments', output: { text: sample('JSON', 4), as: 'arguments' as const } },
  { name: 'output: `n` of 3', body: { n: 3 }, output: { text: sample('English', 4) } },
  {
    name: 'output: hidden reasoning requested by the client',
    model: 'asked',
    body: { reasoning_effort: 'high' },
    output: { hiddenTokens: 5_000 },
    isRead: true,
  },
  {
    name: 'output: hidden reasoning, as in the previous response',
    model: 'learned',
    output: { hiddenTokens: 5_000 },
    isRead: true,
    finishedBefore: 1,
  },
  {
    name: 'output: a tokenizer that counts 40 % less, after one response',
    model: 'other-tokenizer',
    output: { text: sample('English', 12), tokenFactor: 0.6 },
    finishedBefore: 1,
  },
  {
    name: 'output: a tokenizer that counts 60 % more, as the catalogue says',
    model: 'named-tokenizer',
    output: { text: sample('English', 12), tokenFactor: 1.6 },
  },
];
