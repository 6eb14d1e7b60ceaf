/** OpenAI's own client, with the newer Responses API format. */
import { zodTextFormat } from 'openai/helpers/zod';
import { toResponseInputItems } from 'openai/lib/responses/ResponseInputItems';
import type { FunctionTool, Response, ResponseInput } from 'openai/resources/responses/responses';
import { Cannot, type Driver, type Question } from '../driver.ts';
import { jsonSchemaOf, resultOf, tools as toolDefinitions } from '../questions.ts';
import { errorPlaces, openaiOf } from './openai.ts';

const noPart = new Cannot('not part of this API; use the client in the previous column');

export const openaiResponses: Driver = {
  title: 'openai, responses',
  packages: ['openai'],
  places: {
    promptTokens: ['usage', 'input_tokens'],
    completionTokens: ['usage', 'output_tokens'],
    cost: ['usage', 'cost'],
    ...errorPlaces,
  },

  async whole(session, question) {
    const given = await openaiOf(session).responses.create(bodyOf(question));
    return { text: given.output_text, given };
  },

  async stream(session, question, onText = () => true) {
    let text = '';
    let given: unknown;
    for await (const event of await openaiOf(session).responses.create({ ...bodyOf(question), stream: true })) {
      if (event.type === 'response.completed') given = event.response;
      if (event.type !== 'response.output_text.delta') continue;
      text += event.delta;
      if (!onText(event.delta)) break;
    }
    return { text, given };
  },

  async talkWithTools(session, question, { stream }) {
    const client = openaiOf(session);
    const body = { ...bodyOf(question), tools };
    const ask = async (input: ResponseInput): Promise<Response> =>
      stream
        ? client.responses.stream({ ...body, input }).finalResponse()
        : client.responses.create({ ...body, input, stream: false });
    const input: ResponseInput = [{ role: 'user', content: question.prompt }];
    const { output } = await ask(input);
    const calls = output.filter((item) => item.type === 'function_call');
    const results = calls.map(({ call_id, name }) => ({
      type: 'function_call_output' as const,
      call_id,
      output: resultOf(name),
    }));
    const { output_text } = await ask([...input, ...toResponseInputItems(output), ...results]);
    return {
      calls: calls.map((call) => ({ id: call.call_id, name: call.name, input: JSON.parse(call.arguments) })),
      text: output_text,
    };
  },

  async readObject(session, question, schema) {
    const text = { format: zodTextFormat(schema, 'answer') };
    return (await openaiOf(session).responses.parse({ ...bodyOf(question), text })).output_parsed;
  },

  complete: noPart,
  embed: { unsaid: noPart, float: noPart, base64: noPart },
  speak: noPart,
  moderate: noPart,
  rerank: noPart,

  async searchWeb(session, question) {
    const body = { ...bodyOf(question), tools: [{ type: 'web_search' as const }] };
    const { output, output_text: text } = await openaiOf(session).responses.create(body);
    const parts = output.flatMap((item) => (item.type === 'message' ? item.content : []));
    const cited = parts.flatMap((part) => (part.type === 'output_text' ? part.annotations : []));
    return { text, urls: cited.flatMap((citation) => (citation.type === 'url_citation' ? [citation.url] : [])) };
  },

  runBatch: noPart,
  transcribe: noPart,
  listModels: noPart,
};

const tools: FunctionTool[] = toolDefinitions.map((tool) => ({
  type: 'function',
  name: tool.name,
  description: tool.description,
  parameters: jsonSchemaOf(tool),
  strict: false,
}));

function bodyOf({ model, prompt, maxTokens, temperature }: Question) {
  return {
    model,
    input: prompt,
    ...(maxTokens !== undefined && { max_output_tokens: maxTokens }),
    ...(temperature !== undefined && { temperature }),
  };
}
