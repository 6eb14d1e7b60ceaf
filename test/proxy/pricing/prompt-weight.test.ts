/** The prompt is everything that reaches the model at this provider, and weighing it takes bounded time. */
import { describe, expect, test } from 'bun:test';
import { countTokens } from '../../../local/demo-provider/tokens.ts';
import { weighPrompt } from '../../../proxy/pricing/prompt-weight.ts';
import { countTexts, weigh } from '../../../proxy/pricing/text-scale.ts';
import type { PublishedProvider, Quirks } from '../../../shared/catalogue/published-catalogue.ts';
import { samples } from '../../harness/providers/text-samples.ts';
import { testCall } from '../providers/openai/calls.ts';

const prose = samples.English ?? '';

function provider(protocol: PublishedProvider['protocol'], quirks: Quirks = {}): PublishedProvider {
  return { id: 'p', protocol, baseUrl: 'https://p.test/v1', apiKeyEnv: '', quirks };
}

function tokensOf(body: object, to = provider('openai')): number {
  const { text, structure, certain } = weighPrompt(testCall({ body: { ...body } }), to);
  return weigh(text) + structure + certain;
}

const greeting = { messages: [{ role: 'user', content: 'Hi' }] };

test('members that the model does not read weigh nothing', () => {
  const parameters = { model: prose, user: prose, metadata: { note: prose }, stop: [prose], temperature: 1 };
  expect(tokensOf({ ...greeting, ...parameters })).toBe(tokensOf(greeting));
});

describe('a field only counts if the provider gets it:', () => {
  const hidden = { ...greeting, documents: [{ text: prose }] };
  const thought = { messages: [{ role: 'assistant', content: 'Hi', reasoning_content: prose }] };
  const signed = { messages: [{ role: 'assistant', content: 'Hi', thinking_blocks: [{ thinking: prose }] }] };
  const weight = weigh(countTexts([prose]));
  test.each([
    ['an unknown one at OpenAI', hidden, provider('openai'), true],
    ['an unknown one at Anthropic', hidden, provider('anthropic'), false],
    ['one that is dropped', hidden, provider('openai', { dropParameters: ['documents'] }), false],
    ['thoughts at OpenAI', thought, provider('openai'), true],
    ['thoughts that are dropped', thought, provider('openai', { reasoningContent: 'never' }), false],
    ['thoughts at Gemini', thought, provider('gemini'), false],
    ['signed thoughts at Anthropic', signed, provider('anthropic'), true],
    ['signed thoughts at OpenAI', signed, provider('openai'), false],
    ['a tool at Gemini', { ...greeting, tools: [{ function: { description: prose } }] }, provider('gemini'), true],
  ])('%s', (_name, body, to, counts) => {
    const tokens = tokensOf(body, to);
    expect(tokens > weight * 0.99).toBe(counts);
    if (!counts) expect(tokens).toBeLessThan(10);
  });
});

test('a prompt of 20 MB is sampled representatively, wherever its text is', () => {
  const dense = samples.Chinese ?? '';
  const blanks = ' '.repeat(2_000_000);
  const content = `${blanks}${dense.repeat(8_000)}${blanks}${prose.repeat(5_000)}`;
  const tokens = tokensOf({ messages: [{ role: 'user', content }] });
  const truth = 8_000 * countTokens(dense) + 5_000 * countTokens(prose);
  expect(tokens / truth).toBeGreaterThan(0.8);
  expect(tokens / truth).toBeLessThan(1.1);
});

test('many short messages are sampled like one long one', () => {
  const messages = Array.from({ length: 5_000 }, () => ({ role: 'user', content: prose }));
  const template = 3 * 5_001;
  const share = (tokensOf({ messages }) - template) / (5_000 * weigh(countTexts([prose])));
  expect(share).toBeGreaterThan(0.95);
  expect(share).toBeLessThan(1.05);
});
