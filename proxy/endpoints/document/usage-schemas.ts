/** The counts and the cost that answers end with. */
import { Type } from '@sinclair/typebox';
import { count, usd } from './schema-parts.ts';

export const usage = Type.Object(
  {
    prompt_tokens: count('Tokens of the prompt, including those read from or written to a cache.'),
    completion_tokens: count('Generated tokens, including thoughts.'),
    total_tokens: count('Prompt and generated tokens together.'),
    prompt_tokens_details: Type.Object(
      {
        cached_tokens: count("Read from the provider's cache, at the price `cached_prompt` of the model."),
        cache_write_tokens: count("Written to the provider's cache, at the price `cache_write` of the model."),
      },
      { description: 'Which prompt tokens have a price of their own.' },
    ),
    completion_tokens_details: Type.Object(
      { reasoning_tokens: count('Spent on thoughts, at the price `reasoning` of the model.') },
      { description: 'Which generated tokens have a price of their own.' },
    ),
    cost: usd('What the request cost, in USD. It has been charged.'),
  },
  { description: 'How many tokens were used, and what they cost.' },
);

export const usageExample = {
  prompt_tokens: 9,
  completion_tokens: 12,
  total_tokens: 21,
  prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0 },
  cost: 0.000027,
};
