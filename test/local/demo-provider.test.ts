/** The demo provider through its HTTP API, at full speed unless a test is about its pace. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { crc32, inflateSync } from 'node:zlib';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { startDemoProvider } from '../../local/demo-provider/server.ts';
import { waitUntil } from '../../local/processes/poll.ts';

let fast: ReturnType<typeof startDemoProvider>;
let slow: ReturnType<typeof startDemoProvider>;

beforeAll(() => {
  fast = startDemoProvider({ hostname: '127.0.0.1', port: 0, tokensPerSecond: 0 });
  slow = startDemoProvider({ hostname: '127.0.0.1', port: 0, tokensPerSecond: 50 });
});
afterAll(async () => {
  await fast.stop(true);
  await slow.stop(true);
});

const question = [{ role: 'user', content: 'Why is the sky blue at noon, and red at sunset?' }];

function post(path: string, body: object, options: { server?: typeof fast; signal?: AbortSignal } = {}) {
  const url = new URL(path, (options.server ?? fast).url);
  const signal = options.signal ?? AbortSignal.timeout(10_000);
  return fetch(url, { method: 'POST', body: JSON.stringify(body), signal });
}

async function chat(fields: object) {
  const response = await post('/v1/chat/completions', { model: 'demo-chat', messages: question, ...fields });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

async function chatEvents(fields: object) {
  const body = { model: 'demo-chat', messages: question, stream: true, ...fields };
  const text = await (await post('/v1/chat/completions', body)).text();
  const lines = text.trimEnd().split('\n\n');
  expect(lines.at(-1)).toBe('data: [DONE]');
  return lines.slice(0, -1).map((line) => JSON.parse(line.slice('data: '.length)));
}

test('token counts are those of the o200k encoding', async () => {
  const { body } = await chat({});
  const content = body.choices[0].message.content;
  const promptTokens = 3 + 3 + encode('user').length + encode(question[0]?.content ?? '').length;
  expect(body.usage.completion_tokens).toBe(encode(content).length);
  expect(body.usage.prompt_tokens).toBe(promptTokens);
  expect(body.usage.total_tokens).toBe(promptTokens + encode(content).length);
  expect(body.choices[0].finish_reason).toBe('stop');
});

test('the same question gets the same answer, which quotes it and says that it is a demo', async () => {
  const [first, second] = [await chat({}), await chat({})];
  expect(first.body.choices).toEqual(second.body.choices);
  expect(first.body.choices[0].message.content).toContain('demo model');
  expect(first.body.choices[0].message.content).toContain('Why is the sky blue');
});

test('max_tokens and max_completion_tokens cut the answer to exactly that many tokens', async () => {
  for (const field of ['max_tokens', 'max_completion_tokens']) {
    const { body } = await chat({ [field]: 7 });
    expect(body.usage.completion_tokens).toBe(7);
    expect(encode(body.choices[0].message.content)).toHaveLength(7);
    expect(body.choices[0].finish_reason).toBe('length');
  }
});

test('a stop sequence ends the answer before itself', async () => {
  const whole = (await chat({})).body.choices[0].message.content;
  const { body } = await chat({ stop: ['never said', 'language'] });
  expect(body.choices[0].message.content).toBe(whole.slice(0, whole.indexOf('language')));
  expect(body.choices[0].finish_reason).toBe('stop');
  expect(body.usage.completion_tokens).toBeLessThan(encode(whole).length);
});

test('the tokens of n answers are counted together', async () => {
  const { body } = await chat({ n: 3, max_tokens: 5 });
  expect(body.choices.map((choice: { index: number }) => choice.index)).toEqual([0, 1, 2]);
  expect(body.usage.completion_tokens).toBe(15);
});

test('a stream equals the whole answer: one token per chunk, role first, usage last', async () => {
  const whole = (await chat({})).body;
  const events = await chatEvents({ stream_options: { include_usage: true } });
  const contents = events.map((event) => event.choices[0]?.delta.content ?? '');
  expect(events[0].choices[0].delta.role).toBe('assistant');
  expect(contents.join('')).toBe(whole.choices[0].message.content);
  expect(contents.filter((content) => content !== '')).toHaveLength(whole.usage.completion_tokens);
  expect(events.at(-2).choices[0].finish_reason).toBe('stop');
  expect(events.at(-1)).toMatchObject({ choices: [], usage: whole.usage });
  expect(events.slice(0, -1).every((event) => event.usage === null)).toBe(true);
});

test('a stream without include_usage has no usage', async () => {
  const events = await chatEvents({ max_tokens: 2 });
  expect(events.some((event) => 'usage' in event)).toBe(false);
});

test('a stream is paced, and ends when the client hangs up', async () => {
  const hangUp = new AbortController();
  const body = { model: 'demo-chat', messages: question, stream: true };
  const startedAt = performance.now();
  const response = await post('/v1/chat/completions', body, { server: slow, signal: hangUp.signal });
  const reader = response.body?.getReader();
  for (let chunk = 0; chunk < 6; chunk += 1) await reader?.read();
  expect(performance.now() - startedAt).toBeGreaterThan(60);
  expect(await activeStreams()).toBe(1);
  hangUp.abort();
  expect(await waitUntil(async () => (await activeStreams()) === 0, { timeoutMs: 2_000 })).toBe(true);
});

async function activeStreams(): Promise<number> {
  return JSON.parse(await (await fetch(new URL('/healthz', slow.url))).text()).activeStreams;
}

test('a forced tool is called with arguments that fit its schema, whole and streamed', async () => {
  const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  const forced = { tools: [{ type: 'function', function: { name: 'weather', parameters } }], tool_choice: 'required' };
  const { body } = await chat(forced);
  expect(body.choices[0].message.content).toBeNull();
  expect(body.choices[0].message.tool_calls[0].function).toEqual({ name: 'weather', arguments: '{"city":"demo"}' });
  expect(body.choices[0].finish_reason).toBe('tool_calls');
  const events = await chatEvents(forced);
  const calls = events.flatMap((event) => event.choices[0].delta.tool_calls ?? []);
  expect(calls.map((call) => call.function.arguments).join('')).toBe('{"city":"demo"}');
});

test('speech is a tone for each character, as WAV or plain samples, and spoken at its speed', async () => {
  const speak = async (more: object) => {
    const response = await post('/v1/audio/speech', {
      model: 'demo-speech',
      input: 'Hi you!',
      voice: 'alloy',
      ...more,
    });
    return { type: response.headers.get('content-type'), audio: Buffer.from(await response.arrayBuffer()) };
  };
  const plain = await speak({ response_format: 'pcm' });
  // Seven characters of 60 ms, at 24,000 samples of two bytes a second.
  expect([plain.type, plain.audio.length]).toEqual(['audio/pcm', 7 * 1_440 * 2]);
  const silent = plain.audio.subarray(2 * 1_440 * 2, 3 * 1_440 * 2);
  expect(silent.every((byte) => byte === 0)).toBe(true);
  const wav = await speak({});
  expect(wav.type).toBe('audio/wav');
  expect(wav.audio.toString('latin1', 0, 4)).toBe('RIFF');
  expect(wav.audio.readUInt32LE(4)).toBe(wav.audio.length - 8);
  const samplesAt = wav.audio.length - plain.audio.length;
  expect(wav.audio.readUInt32LE(samplesAt - 4)).toBe(plain.audio.length);
  expect(wav.audio.subarray(samplesAt)).toEqual(plain.audio);
  expect((await speak({ response_format: 'pcm', speed: 2 })).audio.length).toBe(7 * 720 * 2);
  expect((await post('/v1/audio/speech', { model: 'demo-speech', input: '' })).status).toBe(400);
});

test('the demo finds attacks violent, in each text or in all parts together', async () => {
  const moderate = async (input: unknown) => {
    const response = await post('/v1/moderations', { model: 'demo-moderation', input });
    const { results } = JSON.parse(await response.text());
    return results?.map(({ flagged }: { flagged: boolean }) => flagged);
  };
  expect(await moderate(['Good morning.', 'We attack at dawn.'])).toEqual([false, true]);
  expect(await moderate([{ type: 'text', text: 'Attack!' }, { type: 'image_url' }])).toEqual([true]);
  expect(await moderate('A panic attack?')).toEqual([true]);
  expect((await post('/v1/moderations', { model: 'demo-moderation', input: [] })).status).toBe(400);
});

test('images that are made from others differ by them', async () => {
  const edit = async (...sources: readonly string[]) => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ model: 'demo-image', prompt: 'a hat', n: '1' }))
      form.append(name, value);
    for (const source of sources) form.append('image[]', new Blob([source]), 'a.png');
    const response = await fetch(new URL('/v1/images/edits', fast.url), { method: 'POST', body: form });
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
  const [one, same, other] = [await edit('a'), await edit('a'), await edit('a', 'b')];
  expect(one.body.data).toEqual(same.body.data);
  expect(one.body.data).not.toEqual(other.body.data);
  expect(other.body.usage.input_tokens_details.image_tokens).toBe(2 * 256);
  expect((await edit()).status).toBe(400);
});

test('the demo transcribes what it has spoken, and says so of anything else', async () => {
  const input = 'Привет, мир! 🎧';
  const spoken = await post('/v1/audio/speech', { model: 'demo-speech', input, voice: 'alloy' });
  const transcribe = async (file: Blob, more: Record<string, string> = {}) => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ model: 'demo-transcription', ...more })) form.append(name, value);
    form.append('file', file, 'a.wav');
    const response = await fetch(new URL('/v1/audio/transcriptions', fast.url), { method: 'POST', body: form });
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
  const file = await spoken.blob();
  // Fourteen characters of 60 ms.
  const whole = { text: input, usage: { type: 'duration', seconds: 1 } };
  expect(await transcribe(file)).toEqual({ status: 200, body: whole });
  const { body } = await transcribe(file, { response_format: 'verbose_json' });
  expect(body).toMatchObject({ ...whole, duration: 0.84, segments: [{ start: 0, end: 0.84, text: input }] });
  expect((await transcribe(new Blob(['x'.repeat(32_000)]))).body.usage.seconds).toBe(2);
  expect((await transcribe(file, { model: 'demo-chat' })).status).toBe(404);
  expect((await post('/v1/audio/transcriptions', {})).status).toBe(400);
});

test.each([
  [{ model: 'nothing' }, 404, 'model'],
  [{ model: 'demo-embedding' }, 404, 'model'],
  [{ messages: [] }, 400, 'messages'],
  [{ messages: [{ role: 'nobody', content: '' }] }, 400, 'messages[0].role'],
  [{ temperature: 3 }, 400, 'temperature'],
  [{ max_tokens: 0 }, 400, 'max_tokens'],
  [{ n: 1.5 }, 400, 'n'],
  [{ stop: ['1', '2', '3', '4', '5'] }, 400, 'stop'],
  [{ tool_choice: 'required' }, 400, 'tool_choice'],
])('the request %j is refused in OpenAI’s error format', async (fields, status, param) => {
  const response = await chat(fields);
  expect(response.status).toBe(status);
  expect(response.body.error).toMatchObject({ type: 'invalid_request_error', param });
});

test.each(['a', ' ', '!?', '漢', 'ab\u0000'])('a long run of %j cannot hang the tokenizer', async (unit) => {
  const startedAt = performance.now();
  const { body } = await chat({ messages: [{ role: 'user', content: unit.repeat(150_000) }], max_tokens: 1 });
  expect(body.usage ?? body.error).toBeDefined();
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});

test('a prompt beyond the context is refused', async () => {
  const { status, body } = await chat({ messages: [{ role: 'user', content: 'word '.repeat(40_000) }] });
  expect(status).toBe(400);
  expect(body.error.code).toBe('context_length_exceeded');
});

test('a legacy completion continues each prompt, with 16 tokens by default', async () => {
  const response = await post('/v1/completions', { model: 'demo-completion', prompt: ['One', 'Two'] });
  const body = JSON.parse(await response.text());
  expect(body.choices).toHaveLength(2);
  expect(body.usage).toEqual({ prompt_tokens: 2, completion_tokens: 32, total_tokens: 34 });
  expect(body.choices[0].finish_reason).toBe('length');
});

async function embeddings(fields: object) {
  const response = await post('/v1/embeddings', { model: 'demo-embedding', ...fields });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

function dot(a: number[], b: number[]): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
}

test('embeddings are unit vectors, and similar texts are closer than others', async () => {
  const input = ['The cat sat on the mat', 'A cat is sitting on a mat', 'Quarterly revenue exceeded forecasts'];
  const { body } = await embeddings({ input });
  const [cat, otherCat, revenue] = body.data.map((item: { embedding: number[] }) => item.embedding);
  expect(cat).toHaveLength(1536);
  expect(dot(cat, cat)).toBeCloseTo(1, 5);
  expect(dot(cat, otherCat)).toBeGreaterThan(dot(cat, revenue) + 0.2);
  expect(body.usage.prompt_tokens).toBe(input.reduce((sum, text) => sum + encode(text).length, 0));
});

test('base64 contains the same numbers as float, and dimensions shorten the vector', async () => {
  const input = encode('hello world');
  const float = (await embeddings({ input, dimensions: 8 })).body;
  const base64 = (await embeddings({ input, dimensions: 8, encoding_format: 'base64' })).body;
  const bytes = Buffer.from(base64.data[0].embedding, 'base64');
  const decoded = Array.from({ length: 8 }, (_, index) => bytes.readFloatLE(index * 4));
  expect(decoded).toEqual(float.data[0].embedding);
  expect(float.usage.prompt_tokens).toBe(input.length);
});

test.each([
  [{ input: '' }],
  [{ input: [] }],
  [{ input: ['a', ''] }],
  [{ input: [[-1]] }],
  [{ input: 'a', dimensions: 0 }],
])('embeddings of %j are refused', async (fields) => {
  expect((await embeddings(fields)).status).toBe(400);
});

async function images(fields: object) {
  const response = await post('/v1/images/generations', { model: 'demo-image', prompt: 'A red square', ...fields });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

/** The chunks of a PNG file, each with a valid checksum. */
function chunksOf(base64: string): Map<string, Buffer> {
  const file = Buffer.from(base64, 'base64');
  expect(file.subarray(1, 4).toString()).toBe('PNG');
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < file.length; ) {
    const end = at + 8 + file.readUInt32BE(at);
    expect(file.readUInt32BE(end)).toBe(crc32(file.subarray(at + 4, end)));
    chunks.set(file.toString('latin1', at + 4, at + 8), file.subarray(at + 8, end));
    at = end + 4;
  }
  return chunks;
}

test('images are PNG files of the requested size, the same for the same prompt', async () => {
  const { body } = await images({ size: '64x32', n: 2, quality: 'high' });
  expect(body).toMatchObject({ size: '64x32', quality: 'high', output_format: 'png' });
  const files: string[] = body.data.map(({ b64_json: base64 }: { b64_json: string }) => base64);
  expect(new Set(files).size).toBe(2);
  for (const file of files) {
    const chunks = chunksOf(file);
    expect([...chunks.keys()]).toEqual(['IHDR', 'PLTE', 'IDAT', 'IEND']);
    expect([0, 4].map((offset) => chunks.get('IHDR')?.readUInt32BE(offset))).toEqual([64, 32]);
    // A byte for each pixel, and one for the filter of each row.
    expect(inflateSync(chunks.get('IDAT') ?? Buffer.alloc(0))).toHaveLength(65 * 32);
  }
  expect((await images({ size: '64x32', n: 2 })).body.data).toEqual(body.data);
});

test('an image can be requested as an address', async () => {
  const { body } = await images({ response_format: 'url' });
  const file = await fetch(body.data[0].url);
  expect(file.headers.get('content-type')).toBe('image/png');
});

test.each([[{ prompt: '' }], [{ n: 11 }], [{ size: '9000x9000' }], [{ quality: 'best' }], [{ model: 'demo-chat' }]])(
  'images of %j are refused',
  async (fields) => {
    expect((await images(fields)).status).toBeGreaterThanOrEqual(400);
  },
);
