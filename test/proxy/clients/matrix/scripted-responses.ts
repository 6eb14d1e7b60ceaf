/**
 * The scripted provider's responses other than chat. A text costs as much as the scripted chats: 11 tokens in, 7 out.
 */
import { usageOf } from '../../../../local/demo-provider/usage.ts';
import { chunksResponse } from '../../../harness/providers/completions.ts';
import { rawResponse } from '../../../harness/providers/scripted-provider.ts';

const usage = usageOf(11, 7);

export const vectors = [
  [0.5, -0.25, 1.5],
  [-2, 0, 0.125],
];

/** Out of order; `index` has the right position. */
export const vectorsResponse = rawResponse(
  JSON.stringify({
    object: 'list',
    model: 'upstream-embedding',
    data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })).reverse(),
    usage: { prompt_tokens: 10, total_tokens: 10 },
  }),
);

export const wholeText = rawResponse(JSON.stringify({ ...chunk('Once upon a time', 'stop'), usage }));

export const streamedText = chunksResponse([
  chunk('Once upon ', null),
  chunk('a time', null),
  chunk('', 'stop'),
  { ...chunk('', null), choices: [], usage },
]);

function chunk(text: string, finish: string | null) {
  const choices = [{ text, index: 0, logprobs: null, finish_reason: finish }];
  return { id: 'cmpl-1', object: 'text_completion', created: 1_790_000_000, model: 'upstream-completion', choices };
}
