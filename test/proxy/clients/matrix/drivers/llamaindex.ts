/** LlamaIndex's model and embeddings for OpenAI. */
import type { BaseTool, ChatMessage, ToolCallLLMMessageOptions, ToolCallOptions } from '@llamaindex/core/llms';
import { OpenAI, OpenAIEmbedding } from '@llamaindex/openai';
import { Cannot, type Driver, type Question, Remark, type Session, type ToolCall } from '../driver.ts';
import { jsonSchemaOf, resultOf, tools as toolDefinitions } from '../questions.ts';

/** The format in which the client returns calls and takes them back. */
type WholeCall = ToolCallOptions['toolCall'][number];

const noFormat = new Cannot('has no option for it');

type Message = ChatMessage<ToolCallLLMMessageOptions>;

export const llamaindex: Driver = {
  title: 'LlamaIndex.TS',
  packages: ['@llamaindex/openai'],
  places: {
    promptTokens: ['raw', 'usage', 'prompt_tokens'],
    completionTokens: ['raw', 'usage', 'completion_tokens'],
    cost: ['raw', 'usage', 'cost'],
    status: ['status'],
    code: ['code'],
    requestId: ['requestID'],
    streamCode: ['code'],
  },

  async whole(session, question) {
    const given = await modelOf(session, question).chat({ messages: [userMessage(question)] });
    return { text: String(given.message.content), given };
  },

  async stream(session, question, onText = () => true) {
    const leaving = new AbortController();
    const chunks = await modelOf(leavable(session, leaving.signal), question).chat({
      messages: [userMessage(question)],
      stream: true,
      additionalChatOptions: { stream_options: { include_usage: true } },
    });
    let text = '';
    let given: unknown;
    for await (const chunk of chunks) {
      text += chunk.delta;
      given = chunk;
      if (chunk.delta === '' || onText(chunk.delta)) continue;
      leaving.abort();
      break;
    }
    return { text, given };
  },

  async talkWithTools(session, question, { stream }) {
    const model = modelOf(session, question);
    const ask = async (messages: Message[]): Promise<Message> => {
      if (!stream) return (await model.chat({ messages, tools })).message;
      return collect(await model.chat({ messages, tools, stream: true }));
    };
    const message = await ask([userMessage(question)]);
    const toolCalls = callsOf(message);
    const results = toolCalls.map(
      ({ id = '', name }): Message => ({
        role: 'user',
        content: resultOf(name),
        options: { toolResult: { id, result: resultOf(name), isError: false } },
      }),
    );
    const { content } = await ask([userMessage(question), message, ...results]);
    return { calls: toolCalls, text: String(content) };
  },

  async readObject(session, question, schema) {
    const { message } = await modelOf(session, question).chat({
      messages: [userMessage(question)],
      responseFormat: schema,
    });
    return JSON.parse(String(message.content));
  },

  complete: new Cannot('sends text completions to the chat endpoint'),
  embed: {
    unsaid: async (session, { model, texts }) =>
      new OpenAIEmbedding({ ...connectionOf(session), model }).getTextEmbeddings(texts),
    float: noFormat,
    base64: noFormat,
  },
  leaving: new Remark(
    'accepts no signal, and leaving the loop does not end the request; passing a custom `fetch` in `additionalSessionOptions` does',
  ),
  speak: new Cannot('has no speech'),
  transcribe: new Cannot('has no transcriptions'),
  moderate: new Cannot('has no moderation'),
  rerank: new Cannot('has no rerank for compatible services'),

  async searchWeb(session, question) {
    const { message, raw } = await modelOf(session, question).chat({
      messages: [userMessage(question)],
      additionalChatOptions: { web_search_options: {} },
    });
    const { choices } = raw as { choices: [{ message: { annotations: { url_citation: { url: string } }[] } }] };
    const urls = choices[0].message.annotations.map(({ url_citation: { url } }) => url);
    return { text: String(message.content), urls };
  },

  runBatch: new Cannot('has no batches'),
  listModels: new Cannot('has no method for it'),
};

const tools: BaseTool[] = toolDefinitions.map((tool) => ({
  metadata: { name: tool.name, description: tool.description, parameters: jsonSchemaOf(tool) },
}));

/** A call is repeated while it grows; the last one is complete. */
async function collect(
  chunks: AsyncIterable<{ delta: string; options?: ToolCallLLMMessageOptions | undefined }>,
): Promise<Message> {
  let content = '';
  const calls = new Map<string, WholeCall>();
  for await (const { delta, options } of chunks) {
    content += delta;
    if (options === undefined || !('toolCall' in options)) continue;
    for (const call of options.toolCall) calls.set(call.id, call);
  }
  const toolCall = [...calls.values()];
  return { role: 'assistant', content, options: toolCall.length === 0 ? {} : { toolCall } };
}

function callsOf({ options }: Message): ToolCall[] {
  if (options === undefined || !('toolCall' in options)) return [];
  return options.toolCall.map(({ id, name, input }) => ({
    id,
    name,
    input: typeof input === 'string' ? JSON.parse(input) : input,
  }));
}

function userMessage({ prompt }: Question): Message {
  return { role: 'user', content: prompt };
}

function leavable(session: Session, leaving: AbortSignal): Session {
  const leavableFetch: typeof session.fetch = Object.assign(
    (...[input, init]: Parameters<typeof fetch>) =>
      session.fetch(input, { ...init, signal: AbortSignal.any([leaving, ...(init?.signal ? [init.signal] : [])]) }),
    { preconnect: session.fetch.preconnect },
  );
  return { ...session, fetch: leavableFetch };
}

function connectionOf({ url, key, headers, retries, fetch }: Session) {
  return {
    apiKey: key,
    baseURL: `${url}/v1`,
    maxRetries: retries,
    additionalSessionOptions: { defaultHeaders: headers, fetch },
  };
}

function modelOf(session: Session, { model, maxTokens, temperature }: Question): OpenAI {
  return new OpenAI({
    ...connectionOf(session),
    model,
    ...(maxTokens !== undefined && { maxTokens }),
    ...(temperature !== undefined && { temperature }),
  });
}
