/** Vercel's AI SDK, with its provider for OpenAI-compatible services, and that of Cohere to rank documents. */
import { createCohere } from '@ai-sdk/cohere';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { embedMany, generateText, Output, RetryError, rerank, stepCountIs, streamText, tool } from 'ai';
import { Cannot, type Driver, type Embed, type Question, type Session } from '../driver.ts';
import { clock, resultOf, weather } from '../questions.ts';

export const aiSdk: Driver = {
  title: 'AI SDK',
  packages: ['ai', '@ai-sdk/openai-compatible', '@ai-sdk/cohere'],
  places: {
    promptTokens: ['usage', 'inputTokens'],
    completionTokens: ['usage', 'outputTokens'],
    cost: ['usage', 'raw', 'cost'],
    status: ['statusCode'],
    code: ['data', 'error', 'code'],
    requestId: ['responseHeaders', 'x-request-id'],
    streamCode: ['code'],
  },

  async whole(session, question) {
    const given = await generateText(callOf(session, question));
    return { text: given.text, given };
  },

  async stream(session, question, onText = () => true) {
    const leaving = new AbortController();
    const result = streamText({
      ...callOf(session, question),
      abortSignal: leaving.signal,
      // Errors are read from the stream; by default they are printed too.
      onError: () => {},
    });
    let text = '';
    for await (const part of result.fullStream) {
      if (part.type === 'error') throw part.error;
      if (part.type !== 'text-delta') continue;
      text += part.text;
      if (onText(part.text)) continue;
      leaving.abort();
      return { text, given: undefined };
    }
    return { text, given: { usage: await result.usage } };
  },

  async talkWithTools(session, question, { stream }) {
    const call = { ...callOf(session, question), tools, stopWhen: stepCountIs(2) };
    const streamed = stream ? streamText(call) : undefined;
    const { steps, text } =
      streamed === undefined ? await generateText(call) : { steps: await streamed.steps, text: await streamed.text };
    const calls = (steps[0]?.toolCalls ?? []).map(({ toolCallId, toolName, input }) => ({
      id: toolCallId,
      name: toolName,
      input,
    }));
    return { calls, text };
  },

  async readObject(session, question, schema) {
    return (await generateText({ ...callOf(session, question), output: Output.object({ schema }) })).output;
  },

  async complete(session, question, { stream }) {
    const call = { ...callOf(session, question), model: gatewayOf(session).completionModel(question.model) };
    return stream ? streamText(call).text : (await generateText(call)).text;
  },

  embed: { unsaid: embed, float: embed, base64: new Cannot('always asks for `float`') },
  speak: new Cannot('has no speech for compatible services'),
  transcribe: new Cannot('has no transcriptions for compatible services'),
  moderate: new Cannot('has no moderation'),

  async rerank({ url, key, headers, retries, fetch }, { model, query, texts }) {
    const ranker = createCohere({ baseURL: `${url}/v1`, apiKey: key, headers, fetch }).reranking(model);
    const { ranking } = await rerank({ model: ranker, query, documents: texts, topN: 2, maxRetries: retries });
    return ranking.map(({ originalIndex }) => originalIndex);
  },

  searchWeb: new Cannot('has no web searches for compatible services'),
  runBatch: new Cannot('has no batches for compatible services'),
  listModels: new Cannot('has no method for it'),

  unwrap: (error) => (RetryError.isInstance(error) ? error.lastError : error),
};

const tools = {
  [weather.name]: tool({
    description: weather.description,
    inputSchema: weather.schema,
    execute: async () => resultOf(weather.name),
  }),
  [clock.name]: tool({
    description: clock.description,
    inputSchema: clock.schema,
    execute: async () => resultOf(clock.name),
  }),
};

async function embed(...[session, { model, texts }]: Parameters<Embed>): ReturnType<Embed> {
  const embeddingModel = gatewayOf(session).embeddingModel(model);
  return (await embedMany({ model: embeddingModel, values: texts, maxRetries: session.retries })).embeddings;
}

function gatewayOf({ url, key, headers, fetch }: Session) {
  return createOpenAICompatible({
    name: 'gateway',
    baseURL: `${url}/v1`,
    apiKey: key,
    headers: { ...headers },
    fetch,
    includeUsage: true,
    supportsStructuredOutputs: true,
  });
}

function callOf(session: Session, { model, prompt, maxTokens, temperature }: Question) {
  return {
    model: gatewayOf(session)(model),
    prompt,
    maxRetries: session.retries,
    ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
    ...(temperature !== undefined && { temperature }),
  };
}
