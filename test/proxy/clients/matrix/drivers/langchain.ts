/** LangChain's chat model and embeddings for OpenAI. */
import { AIMessageChunk, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI, OpenAI, OpenAIEmbeddings } from '@langchain/openai';
import { Cannot, type Driver, type Embed, type Question, type Session } from '../driver.ts';
import { numbersOf } from '../numbers-of.ts';
import { resultOf, tools as toolDefinitions } from '../questions.ts';

export const langchain: Driver = {
  title: 'LangChain.js',
  packages: ['@langchain/openai'],
  places: {
    promptTokens: ['usage_metadata', 'input_tokens'],
    completionTokens: ['usage_metadata', 'output_tokens'],
    cost: ['response_metadata', 'usage', 'cost'],
    status: ['status'],
    code: ['code'],
    requestId: ['requestID'],
    streamCode: ['code'],
  },

  async whole(session, question) {
    const given = await modelOf(session, question).invoke(question.prompt);
    return { text: given.text, given };
  },

  async stream(session, question, onText = () => true) {
    let given = new AIMessageChunk('');
    for await (const chunk of await modelOf(session, question).stream(question.prompt)) {
      given = given.concat(chunk);
      if (chunk.text !== '' && !onText(chunk.text)) break;
    }
    return { text: given.text, given };
  },

  async talkWithTools(session, question, { stream }) {
    const model = modelOf(session, question).bindTools(tools);
    const ask = async (messages: BaseMessage[]) => {
      if (!stream) return model.invoke(messages);
      let message = new AIMessageChunk('');
      for await (const chunk of await model.stream(messages)) message = message.concat(chunk);
      return message;
    };
    const turns = [new HumanMessage(question.prompt)];
    const message = await ask(turns);
    const calls = (message.tool_calls ?? []).map(({ id, name, args }) => ({ id, name, input: args }));
    const results = calls.map(({ id, name }) => new ToolMessage({ content: resultOf(name), tool_call_id: id ?? '' }));
    return { calls, text: (await ask([...turns, message, ...results])).text };
  },

  async readObject(session, question, schema) {
    return modelOf(session, question).withStructuredOutput(schema, { method: 'jsonSchema' }).invoke(question.prompt);
  },

  async complete(session, { model, prompt }, { stream }) {
    const completion = new OpenAI({ ...connectionOf(session), model });
    if (!stream) return completion.invoke(prompt);
    return (await Array.fromAsync(await completion.stream(prompt))).join('');
  },

  embed: { unsaid: embedAs(undefined), float: embedAs('float'), base64: embedAs('base64') },

  speak: new Cannot('has no speech'),
  transcribe: new Cannot('has no transcriptions'),
  moderate: new Cannot('has no moderation'),
  rerank: new Cannot('has no rerank for compatible services'),

  async searchWeb(session, question) {
    const message = await modelOf(session, question)
      .bindTools([{ type: 'web_search' }])
      .invoke(question.prompt);
    const cited = message.contentBlocks.flatMap((block) => (block.type === 'text' ? (block.annotations ?? []) : []));
    const urls = cited.flatMap((citation) => (typeof citation.url === 'string' ? [citation.url] : []));
    return { text: message.text, urls };
  },

  runBatch: new Cannot('has no batches'),
  listModels: new Cannot('has no method for it'),
};

const tools = toolDefinitions.map(({ name, description, schema }) =>
  tool(async () => resultOf(name), { name, description, schema }),
);

function embedAs(encodingFormat: 'float' | 'base64' | undefined): Embed {
  return async (session, { model, texts }) => {
    const options = { ...connectionOf(session), model, ...(encodingFormat !== undefined && { encodingFormat }) };
    return (await new OpenAIEmbeddings(options).embedDocuments(texts)).map(numbersOf);
  };
}

function connectionOf({ url, key, headers, retries, fetch }: Session) {
  return {
    apiKey: key,
    maxRetries: retries,
    configuration: { baseURL: `${url}/v1`, defaultHeaders: { ...headers }, fetch },
  };
}

function modelOf(session: Session, { model, maxTokens, temperature }: Question): ChatOpenAI {
  return new ChatOpenAI({
    ...connectionOf(session),
    model,
    ...(maxTokens !== undefined && { maxTokens }),
    ...(temperature !== undefined && { temperature }),
  });
}
