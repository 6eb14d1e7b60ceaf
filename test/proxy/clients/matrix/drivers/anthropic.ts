/** Anthropic's own client, which uses the same models through another API format. */
import Anthropic from '@anthropic-ai/sdk';
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod';
import { Cannot, type Driver, type Question, type Session } from '../driver.ts';
import { jsonSchemaOf, resultOf, tools as toolDefinitions } from '../questions.ts';

const noEmbeddings = new Cannot('its API has no embeddings');
/** The API format requires a cap. */
const defaultMaxTokens = 500;

export const anthropic: Driver = {
  title: 'Anthropic SDK',
  packages: ['@anthropic-ai/sdk'],
  places: {
    promptTokens: ['usage', 'input_tokens'],
    completionTokens: ['usage', 'output_tokens'],
    cost: ['usage', 'cost'],
    status: ['status'],
    code: ['error', 'error', 'code'],
    requestId: ['requestID'],
    streamCode: ['error', 'error', 'code'],
  },

  async whole(session, question) {
    const given = await anthropicOf(session).messages.create(bodyOf(question));
    return { text: textOf(given), given };
  },

  async stream(session, question, onText = () => true) {
    let text = '';
    let given: unknown;
    for await (const event of anthropicOf(session).messages.stream(bodyOf(question))) {
      // The message that the helper assembles has only the usage members that it knows.
      if (event.type === 'message_delta') given = event;
      if (event.type !== 'content_block_delta' || event.delta.type !== 'text_delta') continue;
      text += event.delta.text;
      if (!onText(event.delta.text)) break;
    }
    return { text, given };
  },

  async talkWithTools(session, question, { stream }) {
    const { messages } = anthropicOf(session);
    const body = { ...bodyOf(question), tools };
    const ask = (turns: Anthropic.MessageParam[]) =>
      stream
        ? messages.stream({ ...body, messages: turns }).finalMessage()
        : messages.create({ ...body, messages: turns });
    const { content } = await ask(body.messages);
    const calls = content.filter((block) => block.type === 'tool_use');
    const results = calls.map(({ id, name }) => ({
      type: 'tool_result' as const,
      tool_use_id: id,
      content: resultOf(name),
    }));
    const last = await ask([...body.messages, { role: 'assistant', content }, { role: 'user', content: results }]);
    return { calls: calls.map(({ id, name, input }) => ({ id, name, input })), text: textOf(last) };
  },

  async readObject(session, question, schema) {
    const output_config = { format: zodOutputFormat(schema) };
    return (await anthropicOf(session).messages.parse({ ...bodyOf(question), output_config })).parsed_output;
  },

  complete: new Cannot('its API has none'),
  embed: { unsaid: noEmbeddings, float: noEmbeddings, base64: noEmbeddings },

  speak: new Cannot('its API has no speech'),
  moderate: new Cannot('its API has no moderation'),
  rerank: new Cannot('its API has no rerank'),

  async searchWeb(session, question) {
    const tool = { type: 'web_search_20250305', name: 'web_search' } as const;
    const message = await anthropicOf(session).messages.create({ ...bodyOf(question), tools: [tool] });
    const citations = message.content.flatMap((block) => (block.type === 'text' ? (block.citations ?? []) : []));
    const urls = citations.flatMap((cited) => (cited.type === 'web_search_result_location' ? [cited.url] : []));
    return { text: textOf(message), urls };
  },

  runBatch: new Cannot('its API has other batches'),
  transcribe: new Cannot('its API has no transcriptions'),

  async listModels(session) {
    return (await Array.fromAsync(anthropicOf(session).models.list())).map(({ id }) => id);
  },
};

function anthropicOf({ url, key, headers, retries, fetch }: Session): Anthropic {
  const options = { defaultHeaders: headers, maxRetries: retries, fetch, logLevel: 'off' } as const;
  return new Anthropic({ baseURL: url, apiKey: key, authToken: null, ...options });
}

const tools = toolDefinitions.map((tool) => ({
  name: tool.name,
  description: tool.description,
  input_schema: { type: 'object' as const, ...jsonSchemaOf(tool) },
}));

function bodyOf({ model, prompt, maxTokens, temperature }: Question) {
  return {
    model,
    messages: [{ role: 'user', content: prompt }] satisfies Anthropic.MessageParam[],
    max_tokens: maxTokens ?? defaultMaxTokens,
    // Newer models have no temperature, so the client's types no longer include it, but it is sent.
    ...(temperature !== undefined && { temperature }),
  };
}

function textOf({ content }: Anthropic.Message): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}
