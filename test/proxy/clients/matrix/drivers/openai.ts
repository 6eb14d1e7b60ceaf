/** OpenAI's own client, with chat completions. */
import OpenAI, { toFile } from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import type { ChatCompletionMessage, ChatCompletionMessageParam, ChatCompletionTool } from 'openai/resources/chat';
import { guardTimeoutMs, waitFor } from '../../../../harness/account-view.ts';
import { Cannot, type Driver, type Embed, type Question, type Session } from '../driver.ts';
import { numbersOf } from '../numbers-of.ts';
import { jsonSchemaOf, resultOf, tools as toolDefinitions } from '../questions.ts';

/** Where this client's errors have their values, for either API format. */
export const errorPlaces = { status: ['status'], code: ['code'], requestId: ['requestID'], streamCode: ['code'] };

export const openai: Driver = {
  title: 'openai',
  packages: ['openai'],
  places: {
    promptTokens: ['usage', 'prompt_tokens'],
    completionTokens: ['usage', 'completion_tokens'],
    cost: ['usage', 'cost'],
    ...errorPlaces,
  },

  async whole(session, question) {
    const given = await openaiOf(session).chat.completions.create(bodyOf(question));
    return { text: given.choices[0]?.message.content ?? '', given };
  },

  async stream(session, question, onText = () => true) {
    const body = { ...bodyOf(question), stream: true, stream_options: { include_usage: true } } as const;
    const stream = await openaiOf(session).chat.completions.create(body);
    let text = '';
    let given: unknown;
    for await (const chunk of stream) {
      const delta = chunk.choices[0]?.delta.content ?? '';
      text += delta;
      given = chunk;
      if (delta !== '' && !onText(delta)) break;
    }
    return { text, given };
  },

  async talkWithTools(session, question, { stream }) {
    const client = openaiOf(session);
    const body = { ...bodyOf(question), tools };
    const ask = async (messages: ChatCompletionMessageParam[]) => {
      const completion = stream
        ? await client.chat.completions.stream({ ...body, messages }).finalChatCompletion()
        : await client.chat.completions.create({ ...body, messages });
      return messageOf(completion);
    };
    const message = await ask(body.messages);
    const calls = (message.tool_calls ?? []).filter((call) => call.type === 'function');
    const results = calls.map(({ id, function: { name } }) => ({
      role: 'tool' as const,
      tool_call_id: id,
      content: resultOf(name),
    }));
    const { content } = await ask([...body.messages, message, ...results]);
    return {
      calls: calls.map(({ id, function: called }) => ({ id, name: called.name, input: JSON.parse(called.arguments) })),
      text: content ?? '',
    };
  },

  async readObject(session, question, schema) {
    const response_format = zodResponseFormat(schema, 'answer');
    const completion = await openaiOf(session).chat.completions.parse({ ...bodyOf(question), response_format });
    return completion.choices[0]?.message.parsed;
  },

  async complete(session, question, { stream }) {
    const { messages: _, ...body } = bodyOf(question);
    const { completions } = openaiOf(session);
    const prompted = { ...body, prompt: question.prompt };
    if (!stream) return (await completions.create(prompted)).choices[0]?.text ?? '';
    let text = '';
    for await (const chunk of await completions.create({ ...prompted, stream })) text += chunk.choices[0]?.text ?? '';
    return text;
  },

  embed: { unsaid: embedAs(undefined), float: embedAs('float'), base64: embedAs('base64') },

  async speak(session, { model, text }) {
    const spoken = { model, input: text, voice: 'alloy', response_format: 'wav' } as const;
    return new Uint8Array(await (await openaiOf(session).audio.speech.create(spoken)).arrayBuffer());
  },

  async transcribe(session, { model, file }) {
    const { transcriptions } = openaiOf(session).audio;
    return (await transcriptions.create({ model, file: await toFile(file, 'recording.wav') })).text;
  },

  async searchWeb(session, question) {
    const body = { ...bodyOf(question), web_search_options: {} };
    const { content, annotations = [] } = messageOf(await openaiOf(session).chat.completions.create(body));
    return { text: content ?? '', urls: annotations.map(({ url_citation: { url } }) => url) };
  },

  async runBatch(session, input) {
    const client = openaiOf(session);
    const file = await client.files.create({ file: await toFile(Buffer.from(input), 'input.jsonl'), purpose: 'batch' });
    const endpoint = '/v1/chat/completions';
    const { id } = await client.batches.create({ input_file_id: file.id, endpoint, completion_window: '24h' });
    const output = await waitFor('the end of the batch', guardTimeoutMs, async () => {
      const { status, output_file_id: found } = await client.batches.retrieve(id);
      return status === 'completed' ? found : undefined;
    });
    return (await client.files.content(output)).text();
  },

  async moderate(session, { model, texts }) {
    const { results } = await openaiOf(session).moderations.create({ model, input: texts });
    return results.map(({ flagged }) => flagged);
  },

  rerank: new Cannot('has no rerank; `cohere-ai` does'),

  async listModels(session) {
    return (await Array.fromAsync(openaiOf(session).models.list())).map(({ id }) => id);
  },
};

function embedAs(format: 'float' | 'base64' | undefined): Embed {
  return async (session, { model, texts }) => {
    const body = { model, input: texts, ...(format !== undefined && { encoding_format: format }) };
    const { data } = await openaiOf(session).embeddings.create(body);
    return data.map(({ embedding }) => numbersOf(embedding));
  };
}

export function openaiOf({ url, key, headers, retries, fetch }: Session): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: key, defaultHeaders: headers, maxRetries: retries, fetch });
}

const tools: ChatCompletionTool[] = toolDefinitions.map((tool) => ({
  type: 'function',
  function: { name: tool.name, description: tool.description, parameters: jsonSchemaOf(tool) },
}));

function bodyOf({ model, prompt, maxTokens, temperature }: Question) {
  return {
    model,
    messages: [{ role: 'user', content: prompt }] satisfies ChatCompletionMessageParam[],
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(temperature !== undefined && { temperature }),
  };
}

function messageOf(completion: OpenAI.ChatCompletion): ChatCompletionMessage {
  const [choice] = completion.choices;
  if (choice === undefined) throw new Error('a completion without a choice');
  return choice.message;
}
