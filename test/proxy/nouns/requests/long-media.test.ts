/**
 * For media that are counted by the page or the second, the hold covers the whole context, whatever the media's label.
 */
import { describe, expect, test } from 'bun:test';
import type { Model } from '../../../../proxy/pricing/catalogue.ts';
import { quoteOf } from '../../../../proxy/request/planning/quote.ts';
import { picoUsdPerToken } from '../../../../shared/money.ts';
import { pricesAt } from '../../../harness/prices.ts';
import { parseChatCompletion, parseMessages, parseResponses } from '../../api/parse.ts';
import { anthropicDeployment } from '../../providers/anthropic/chat-call.ts';
import { targetOf } from '../../providers/gemini/chat-call.ts';
import { testDeployment } from '../../providers/openai/calls.ts';

const deployments = { openai: testDeployment, anthropic: anthropicDeployment, gemini: targetOf().deployment };
type Protocol = keyof typeof deployments;

const price = picoUsdPerToken(1_000n);
const modelAt = (protocol: Protocol): Model => ({
  id: 'm',
  kind: 'chat',
  ownedBy: 'test',
  createdAt: 0,
  contextTokens: 1_000_000,
  maxOutputTokens: 100,
  prices: pricesAt({ prompt: price, completion: price }),
  deployments: [deployments[protocol]],
});
const boundOf = (part: object, protocol: Protocol = 'openai', role = 'user') => {
  const body = { model: 'm', max_tokens: 1, messages: [{ role, content: [part], images: [] }] };
  return quoteOf(modelAt(protocol), parseChatCompletion(JSON.stringify(body))).promptTokensMax;
};

const base64 = (...chunks: (string | number[])[]) =>
  Buffer.concat(
    chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk, 'latin1') : Buffer.from(chunk))),
  ).toString('base64');
const png = base64('\x89PNG\r\n\x1a\n', 'IHDR');
const heic = base64([0, 0, 0, 24], 'ftypheic', [0, 0, 0, 0]);
const mp4 = base64([0, 0, 0, 24], 'ftypisom', [0, 0, 2, 0]);
const pdf = base64('\n\n%PDF-1.7\n');
const flac = base64('fLaC', [0, 0, 0, 34]);
const mp3 = base64([0xff, 0xfb, 0x90, 0x64]);
const tagged = (frames: string) => base64('ID3\x04\0\0', [0, 0, 0, 4], 'tags', [...Buffer.from(frames, 'base64')]);
const wavAt = (samplesPerSecond: number) => {
  const rate = Buffer.alloc(4);
  rate.writeUInt32LE(samplesPerSecond);
  return base64('RIFF\0\0\0\0WAVEfmt ', [16, 0, 0, 0, 1, 0, 1, 0], [...rate], [1, 0, 8, 0]);
};
const text = base64('An ordinary text.');

const image = (url: string) => ({ type: 'image_url', image_url: { url } });
const dataImage = (type: string, data: string) => image(`data:${type};base64,${data}`);
const file = (file_data: string, filename = 'a') => ({ type: 'file', file: { file_data, filename } });
const audio = (format: string, data: string) => ({ type: 'input_audio', input_audio: { format, data } });

describe('the hold covers the whole context for the part', () => {
  test.each<object>([
    image('https://example.com/video.mp4?x=1'),
    image('https://www.youtube.com/watch?v=x'),
    dataImage('video/mp4', mp4),
    dataImage('image/png', mp4),
    dataImage('image/png', pdf),
    dataImage('image/x-unknown', png),
    dataImage('image/heic', base64([0, 0, 0, 24], 'ftyphevc')),
    file(`data:application/pdf;base64,${pdf}`),
    file(`data:text/plain;base64,${pdf}`),
    file(`data:text/plain;base64,${mp4}`),
    file('data:text/plain,%0A%25%50%44%46-1.7'),
    file(`data:;base64,${text}`),
    file(text),
    file('https://example.com/paper'),
    { type: 'video_url', video_url: { url: 'https://example.com/video' } },
    audio('mp4', mp4),
    audio('pdf', pdf),
    audio('wav', mp4),
    audio('wav', wavAt(1)),
    audio('wav', base64('RIFF\0\0\0\0WAVEfmt ')),
    audio('flac', flac),
    audio('mp3', tagged(flac)),
    audio('ogg', base64('OggS')),
  ])('%j', (part) => {
    expect(boundOf(part)).toBe(1_000_000);
  });
});

describe('the hold covers only the size of the part', () => {
  test.each<object>([
    image('https://example.com/picture'),
    { type: 'image_url', image_url: { url: `data:image/png;base64,${png}`, detail: 'high' } },
    dataImage('image/heic', heic),
    image('data:image/svg+xml,%3Csvg%2F%3E'),
    file(`data:text/plain;base64,${text}`, 'a.txt'),
    file('data:text/plain,An%20ordinary%20text'),
    audio('wav', wavAt(16_000)),
    audio('WAV', wavAt(8_000)),
    audio('mp3', mp3),
    audio('mp3', tagged(mp3)),
  ])('%j', (part) => {
    expect(boundOf(part)).toBeLessThan(70_000);
  });
});

describe('Gemini, which accepts any kind of media in any place', () => {
  test.each<object>([
    file(`data:;base64,${text}`, 'video.mp4'),
    file(text, 'video.webm'),
    file('data:,text', 'video.mp4'),
    file(`data:;base64,${mp4}`, 'a.txt'),
    image('https://example.com/picture.png'),
    image('https://example.com/picture'),
    file('https://example.com/a.txt', 'a.txt'),
    audio('wav', mp4),
    audio('flac', flac),
    dataImage('video/mp4', mp4),
  ])('may fill its context with %j', (part) => {
    expect(boundOf(part, 'gemini')).toBe(1_000_000);
  });

  test.each([
    file(`data:;base64,${text}`, 'a.txt'),
    file(text, 'a.md'),
    dataImage('image/png', png),
    audio('wav', wavAt(16_000)),
  ])('does not fill its context with %j', (part) => {
    expect(boundOf(part, 'gemini')).toBeLessThan(70_000);
  });

  test.each(['mp4', 'pdf', 'webm', 'l16;rate=1', 'constructor', ''])('gets no audio of the format %j', (format) => {
    expect(() => boundOf(audio(format, wavAt(16_000)), 'gemini')).toThrow(
      expect.objectContaining({ code: 'invalid_parameter', param: 'messages[0].content[0].input_audio.format' }),
    );
  });

  test('may get long media in a system message or a tool result', () => {
    expect(boundOf(dataImage('image/png', mp4), 'gemini', 'system')).toBe(1_000_000);
    const messages = [
      { role: 'assistant', tool_calls: [{ id: 'c', type: 'function', function: { name: 'f' } }] },
      { role: 'tool', tool_call_id: 'c', content: [dataImage('image/png', mp4)] },
    ];
    const call = parseChatCompletion(JSON.stringify({ model: 'm', messages }));
    expect(quoteOf(modelAt('gemini'), call).promptTokensMax).toBe(1_000_000);
  });
});

describe('long media in an unknown member', () => {
  test.each<object>([{ images: [mp4] }, { audio: { data: mp4 } }, { attachments: [{ url: 'https://example.com/a' }] }])(
    'long media in an unknown member of a message, as %j, may fill the context',
    (extra) => {
      const messages = [{ role: 'user', content: 'Look.', ...extra }];
      const call = parseChatCompletion(JSON.stringify({ model: 'm', messages }));
      expect(quoteOf(modelAt('openai'), call).promptTokensMax).toBe(1_000_000);
    },
  );

  test('do not count if they are in a response that is sent back', () => {
    const response = { role: 'assistant', content: 'Hi.', refusal: null, annotations: [], audio: null, id: 'x', n: 1 };
    const messages = [
      { role: 'user', content: 'Hello?' },
      { ...response, reasoning_details: [{ text: 'Hm.' }] },
    ];
    const call = parseChatCompletion(JSON.stringify({ model: 'm', messages }));
    expect(quoteOf(modelAt('openai'), call).promptTokensMax).toBeLessThan(1_000);
  });

  const protocols = Object.keys(deployments) as Protocol[];
  test.each(protocols)(
    'long media in unknown members of the other API formats are treated the same before %s',
    (protocol) => {
      const source = { type: 'base64', media_type: 'application/pdf', data: pdf };
      const content = [{ type: 'tool_result', tool_use_id: 'c', content: [{ type: 'document', source }] }];
      const use = [{ type: 'tool_use', id: 'c', name: 'f', input: {} }];
      const turns = [
        { role: 'user', content: 'Go.' },
        { role: 'assistant', content: use },
        { role: 'user', content },
      ];
      const messages = parseMessages(JSON.stringify({ model: 'm', max_tokens: 1, messages: turns }));
      const parts = [{ type: 'input_file', filename: 'a.pdf', file_data: `data:application/pdf;base64,${pdf}` }];
      const responses = parseResponses(JSON.stringify({ model: 'm', input: [{ role: 'user', content: parts }] }));
      for (const call of [messages, responses])
        expect(quoteOf(modelAt(protocol), call).promptTokensMax).toBe(1_000_000);
    },
  );
});
