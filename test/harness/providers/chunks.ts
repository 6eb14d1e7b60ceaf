/** The objects of OpenAI's chat completions, whole and in chunks. */

const head = (object: string) => ({ id: 'chatcmpl-scripted', object, created: 1_790_000_000, model: 'scripted-model' });

export const completionOf = (message: object, finish = 'stop') => ({
  ...head('chat.completion'),
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }],
});

export const chunkOf = (delta: object, finish: string | null = null, index = 0) => ({
  ...head('chat.completion.chunk'),
  choices: [{ index, delta, finish_reason: finish }],
});

export const firstChunk = chunkOf({ role: 'assistant', content: '' });

/** The one before `[DONE]`. */
export const usageChunk = (usage: object) => ({ ...head('chat.completion.chunk'), choices: [], usage });
