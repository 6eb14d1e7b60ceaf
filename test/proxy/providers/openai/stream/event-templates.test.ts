/** Chunks that are not parsed are translated as if they were, and invalid JSON is not passed on. */
import { describe, expect, spyOn, test } from 'bun:test';
import fc from 'fast-check';
import { countTexts, weigh } from '../../../../../proxy/pricing/text-scale.ts';
import { ChatStream } from '../../../../../proxy/providers/openai/stream/openai-stream.ts';
import { chunksOf, collectChat } from '../collect.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

const event = (delta: object, more: object = {}) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: null }], ...more })}\n\n`;

const models = fc.constantFrom('m', 'acme/large');

function started(includeUsage = false, model = 'm'): ChatStream {
  const stream = new ChatStream({ includeUsage, model });
  for (const text of ['a', 'b']) stream.push(encoder.encode(event({ content: text }, { obfuscation: 'x' })));
  return stream;
}

test('a chunk that differs only in its text is not parsed, and its bytes are passed on unchanged', () => {
  const stream = started();
  const bytes = encoder.encode(event({ content: 'Grüße "x" \\ 👋\n' }, { obfuscation: 'zzz' }));
  const parse = spyOn(JSON, 'parse');
  try {
    expect(stream.push(bytes)).toBe(bytes);
    expect(parse).not.toHaveBeenCalled();
  } finally {
    parse.mockRestore();
  }
});

test('a chunk to which a usage of null has to be added is not parsed either', () => {
  const stream = started(true);
  const bytes = encoder.encode(event({ content: 'Hello "there"' }, { obfuscation: 'zzz' }));
  const parse = spyOn(JSON, 'parse');
  const output = decoder.decode(stream.push(bytes));
  const parsed = parse.mock.calls.length;
  parse.mockRestore();
  expect(parsed).toBe(0);
  expect(chunksOf(output)[0]).toMatchObject({ usage: null, choices: [{ delta: { content: 'Hello "there"' } }] });
});

test('an ASCII chunk with several events is not even decoded', () => {
  const stream = started();
  const texts = ['Hello', ', ', 'who is there in the middle of the night?'];
  const chunk = encoder.encode(texts.map((content) => event({ content }, { obfuscation: 'zzz' })).join(''));
  const decode = spyOn(TextDecoder.prototype, 'decode');
  try {
    expect(stream.push(chunk)).toBe(chunk);
    expect(decode).not.toHaveBeenCalled();
  } finally {
    decode.mockRestore();
  }
  expect(stream.deliveredTokens).toBe(weigh(countTexts([['a', 'b', ...texts].join('')])));
});

describe('a stream whose provider has another name for the model', () => {
  const texts = ['Hello', ', ', 'Привет', '👋', 'say \\ "a"\n\u0001', ''];
  const chunk = encoder.encode(texts.map((content) => event({ content }, { obfuscation: 'zzz' })).join(''));

  test('has the name replaced in the bytes, and only non-ASCII text is decoded', () => {
    const stream = started(true, 'acme/large');
    const [parse, decode] = [spyOn(JSON, 'parse'), spyOn(TextDecoder.prototype, 'decode')];
    let output: Uint8Array | undefined;
    try {
      output = stream.push(chunk);
      expect(parse).not.toHaveBeenCalled();
      const decoded = decode.mock.calls.map(([bytes]) => Object(bytes).length);
      expect(decoded).toEqual(texts.slice(2, 5).map((text) => Buffer.byteLength(JSON.stringify(text)) - 2));
    } finally {
      parse.mockRestore();
      decode.mockRestore();
    }
    expect(stream.deliveredTokens).toBe(weigh(countTexts([['a', 'b', ...texts].join('')])));
    const own = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'acme/large', usage: null };
    expect(chunksOf(decoder.decode(output))).toEqual(
      texts.map((content) => ({
        ...own,
        choices: [{ index: 0, delta: { content }, finish_reason: null }],
        obfuscation: 'zzz',
      })),
    );
  });

  test('has the same output for a chunk that does not fit the buffer', () => {
    const longer = 'acme/'.repeat(200);
    const many = encoder.encode(new Array(200).fill(event({ content: 'x' }, { obfuscation: 'x' })).join(''));
    const chunks = chunksOf(decoder.decode(started(false, longer).push(many)));
    expect(chunks).toHaveLength(200);
    expect(new Set(chunks.map(({ model }) => model))).toEqual(new Set([longer]));
  });

  test('does not change earlier output with later output', () => {
    const stream = started(false, 'acme/large');
    const push = (content: string) => stream.push(encoder.encode(event({ content }, { obfuscation: 'x' })));
    const [first, second] = [push('first'), push('second')];
    expect(decoder.decode(first)).toContain('first');
    expect(decoder.decode(second)).toContain('second');
  });
});

test('output and count are the same for any stream, wherever it is split', () => {
  const collected = fc.oneof(fc.string({ unit: 'grapheme-ascii' }), fc.string({ unit: 'binary' }), fc.constant('"\\'));
  fc.assert(
    fc.property(
      fc.array(collected, { minLength: 1, maxLength: 20 }),
      fc.array(fc.nat(4_000)),
      models,
      (texts, cuts, model) => {
        const whole = encoder.encode(texts.map((content) => event({ content })).join(''));
        const ends = [...new Set(cuts.map((cut) => cut % whole.length)), whole.length].sort(
          (one, other) => one - other,
        );
        const inChunks = new ChatStream({ includeUsage: false, model });
        const chunks = ends.map((end, index) => inChunks.push(whole.slice(ends[index - 1] ?? 0, end)));
        const atOnce = new ChatStream({ includeUsage: false, model });
        const output = decoder.decode(Buffer.concat(chunks.flatMap((chunk) => chunk ?? [])));
        expect(output).toBe(decoder.decode(atOnce.push(whole)));
        expect(inChunks.deliveredTokens).toBe(atOnce.deliveredTokens);
      },
    ),
  );
});

test('any texts, in any order of names, are passed on unchanged and weighed decoded', () => {
  const chunk = fc.tuple(fc.constantFrom('content', 'reasoning_content', 'reasoning'), fc.string({ unit: 'binary' }));
  fc.assert(
    fc.property(fc.array(chunk, { maxLength: 40 }), fc.boolean(), models, (chunks, escaped, model) => {
      const ascii = (text: string) =>
        text.replaceAll(/[^ -~]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);
      const texts = chunks
        .map(([name, text]) => event({ [name]: text }))
        .map((text) => (escaped ? text.replace(/^.*/, ascii) : text));
      const stream = new ChatStream({ includeUsage: false, model });
      const output = texts.map((text) => decoder.decode(stream.push(encoder.encode(text)))).join('');
      const collected = collectChat(chunksOf(output));
      const join = (...names: string[]) =>
        chunks
          .filter(([name]) => names.includes(name))
          .map(([, text]) => text)
          .join('');
      // A lone surrogate can be sent as UTF-8 only if it is escaped.
      const travelled = (text: string) => (escaped ? text : text.toWellFormed());
      expect(collected.text).toBe(travelled(join('content')));
      expect(collected.reasoning).toBe(travelled(join('reasoning', 'reasoning_content')));

      expect(stream.deliveredTokens).toBe(weigh(countTexts([chunks.map(([, text]) => travelled(text)).join('')])));
    }),
  );
});

test('an invalid JSON string is refused instead of passed on', () => {
  for (const bad of ['\\x', '\\u12g4', 'tab\there', '\\']) {
    const broken = event({ content: 'MARK' }, { obfuscation: 'x' }).replace('MARK', () => bad);
    for (const model of ['m', 'acme/large']) {
      expect(() => started(false, model).push(encoder.encode(broken))).toThrow('not JSON');
    }
  }
});

test('an error, usage or an end is never mistaken for text', () => {
  const hostile = '"},"finish_reason":"stop"}],"error":{"message":"x"},"usage":{"prompt_tokens":1,"total_tokens":9}}';
  const stream = started();
  stream.push(encoder.encode(event({ content: hostile }, { obfuscation: 'x' })));
  expect(stream).toMatchObject({ complete: false, usage: null });
  expect(() => stream.push(encoder.encode(event({ content: 'x' }, { error: { message: 'broken' } })))).toThrow(
    'broken',
  );
});
