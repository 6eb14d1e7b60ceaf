/** The counts and the cost that answers end with. */
import { Type } from '@sinclair/typebox';
import { count, usd } from './schema-parts.ts';

export const usage = Type.Object(
  {
    prompt_tokens: count('Tokens of the prompt, those from a cache among them.'),
    completion_tokens: count('Generated tokens, thoughts among them.'),
    total_tokens: count('Both.'),
    prompt_tokens_details: Type.Object({
      cached_tokens: count("Read from the provider's cache."),
      cache_write_tokens: count("Written to the provider's cache."),
    }),
    completion_tokens_details: Type.Object({ reasoning_tokens: count('Tokens of thoughts.') }),
    cost: usd('What was charged, in USD.'),
  },
  { description: 'What is paid for. A text completion shows the same.' },
);

export const usageExample = {
  prompt_tokens: 9,
  completion_tokens: 12,
  total_tokens: 21,
  prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0 },
  cost: 0.000027,
};
