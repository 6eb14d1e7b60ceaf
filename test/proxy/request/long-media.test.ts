/** What is counted by the page or the second is held for as if it filled the context. */
import { expect, test } from 'bun:test';
import type { Model } from '../../../proxy/catalogue/catalogue.ts';
import { quoteOf } from '../../../proxy/quote.ts';
import { picoUsdPerToken } from '../../../shared/money.ts';
import { parseChatCompletion, parseMessages } from '../endpoints/parse.ts';

const price = picoUsdPerToken(1_000n);
const model: Model = {
  id: 'm',
  kind: 'chat',
  ownedBy: 'test',
  createdAt: 0,
  contextTokens: 1_000_000,
  maxOutputTokens: 100,
  prices: { version: 1, prompt: price, cachedPrompt: price, cacheWrite: price, completion: price, reasoning: price },
  deployments: [],
};
const boundOf = (part: object) => {
  const body = { model: 'm', max_tokens: 1, messages: [{ role: 'user', content: [part] }] };
  return quoteOf(model, parseChatCompletion(JSON.stringify(body))).promptTokensMax;
};
const image = (url: string) => ({ type: 'image_url', image_url: { url } });

test.each([
  image('https://example.com/film.mp4?x=1'),
  image('https://www.youtube.com/watch?v=x'),
  image('gs://bucket/film'),
  image('data:video/mp4;base64,AAAA'),
  { type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA' } },
  { type: 'file', file: { file_data: 'https://example.com/paper' } },
  { type: 'file', file: { file_id: 'file-1' } },
  { type: 'video_url', video_url: { url: 'https://example.com/film' } },
])('%j may fill the context', (part) => {
  expect(boundOf(part)).toBe(model.contextTokens);
});

test.each([
  image('https://example.com/picture'),
  image('data:image/png;base64,AAAA'),
  { type: 'file', file: { filename: 'a.txt', file_data: 'data:text/plain;base64,AAAA' } },
  { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
])('%j does not', (part) => {
  expect(boundOf(part)).toBeLessThan(70_000);
});

test('a document inside the result of a tool may fill the context too', () => {
  const source = { type: 'base64', media_type: 'application/pdf', data: 'AAAA' };
  const content = [{ type: 'tool_result', tool_use_id: 'c', content: [{ type: 'document', source }] }];
  const text = JSON.stringify({ model: 'm', max_tokens: 1, messages: [{ role: 'user', content }] });
  expect(quoteOf(model, parseMessages(text)).promptTokensMax).toBe(model.contextTokens);
});
