/** Token counts and cost. */
import { Type } from '@sinclair/typebox';
import { count, usd } from './schema-parts.ts';

export const webSearchUsage = Type.Object(
  { web_search_requests: count("Searches of the web that the provider ran, at the model's `web_search` price.") },
  { description: 'What the provider did besides generating. Missing if that was nothing.' },
);

export const usage = Type.Object(
  {
    prompt_tokens: count('Tokens of the prompt, including those read from or written to a cache.'),
    completion_tokens: count('Generated tokens, including reasoning.'),
    total_tokens: count('Prompt and generated tokens together.'),
    prompt_tokens_details: Type.Object(
      {
        cached_tokens: count("Read from the provider's cache, at the model's `cached_prompt` price."),
        cache_write_tokens: count("Written to the provider's cache, at the model's `cache_write` price."),
        audio_tokens: Type.Optional(
          count("Tokens of audio, at the model's `audio_prompt` price. Missing if there are none."),
        ),
      },
      { description: 'The prompt tokens that have a price of their own.' },
    ),
    completion_tokens_details: Type.Object(
      {
        reasoning_tokens: count("Generated as reasoning, at the model's `reasoning` price."),
        audio_tokens: Type.Optional(
          count("Generated as audio, at the model's `audio_completion` price. Missing if there are none."),
        ),
      },
      { description: 'The generated tokens that have a price of their own.' },
    ),
    server_tool_use: Type.Optional(webSearchUsage),
    cost: usd('The cost of the request in USD. It has been charged.'),
  },
  { description: 'The tokens that were used, and their cost.' },
);

export const usageExample = {
  prompt_tokens: 9,
  completion_tokens: 12,
  total_tokens: 21,
  prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0 },
  cost: 0.000027,
};
