/** OpenAI's Responses API in front of chat models. It only ever gets calls of its own endpoint. */
import { type ErrorBody, errorBody, type GatewayError } from '../../../shared/errors.ts';
import type { ChatCompletion, ChatDelta, ThinkingBlock } from '../../nouns/chat-completion.ts';
import type { Dialect } from '../../nouns/dialect.ts';
import type { RenderedCharge } from '../../nouns/usage.ts';
import type { ReadResponsesCall } from './request/settings.ts';
import { movedParameters } from './request/unsupported.ts';
import { Output } from './response/output.ts';
import { digitsOf, endingOf, itemStatusOf, renderResponse } from './response/response-object.ts';
import { ResponsesStream } from './response/responses-stream.ts';

type ChoiceMessage = ChatCompletion['choices'][number]['message'];

export const responsesDialect: Dialect = {
  renderBody,
  openStream: ({ settings }: ReadResponsesCall, requestId) => new ResponsesStream(requestId, settings),
  renderError,
};

function renderBody(
  { choices: [choice] }: ChatCompletion,
  { call, charge, requestId }: { call: ReadResponsesCall; charge: RenderedCharge; requestId: string },
): string {
  const { settings } = call;
  const output = new Output({
    digits: digitsOf(requestId),
    includesThoughts: settings.includesThoughts,
    toolbox: settings.tools.toolbox,
    emit: () => undefined,
  });
  for (const delta of choice === undefined ? [] : deltasOf(choice.message)) output.add(delta);
  const ending = endingOf(choice?.finish_reason ?? 'stop');
  return renderResponse({ requestId, settings, ending, output: output.end(itemStatusOf(ending)) }, charge);
}

/** In the order in which the message was generated, as far as it is known. */
function deltasOf({ role, turn_blocks, tool_calls = [], ...message }: ChoiceMessage): ChatDelta[] {
  const calls = tool_calls.map((call, index) => ({ index, ...call }));
  if (turn_blocks === undefined) {
    const { reasoning_content, thinking_blocks, ...rest } = message;
    return [...thoughtsOf(reasoning_content ?? '', thinking_blocks), { ...rest, tool_calls: calls }];
  }
  let end = 0;
  return turn_blocks.map((block): ChatDelta => {
    if (block.type === 'call') return { tool_calls: calls.slice(block.index, block.index + 1) };
    if (block.type === 'server_tool_use' || block.type === 'web_search_tool_result') return { search_blocks: [block] };
    if (block.type !== 'text') return { reasoning_content: block.thinking ?? null, thinking_blocks: [block] };
    const begin = end;
    end += block.text.length;
    const annotations = (message.annotations ?? []).filter(
      ({ url_citation: { start_index: at } }) => at >= begin && at < end,
    );
    return { content: block.text, annotations };
  });
}

/** Each block follows its own text, unless they do not have all of it. */
function thoughtsOf(reasoning_content: string, thinking_blocks: readonly ThinkingBlock[] = []): ChatDelta[] {
  const text = thinking_blocks.map(({ thinking = '' }) => thinking).join('');
  if (text !== reasoning_content) return [{ reasoning_content, thinking_blocks }];
  return thinking_blocks.map((block) => ({ reasoning_content: block.thinking ?? null, thinking_blocks: [block] }));
}

/** Adapters name parameters of the translated chat completion request, which the client has never seen. */
function renderError(error: GatewayError): ErrorBody {
  const body = errorBody(error);
  const { param, message } = body.error;
  const [name = ''] = param?.split(/[.[]/) ?? [];
  const moved = Object.hasOwn(movedParameters, name) ? movedParameters[name] : undefined;
  // Errors of this dialect already name the successor.
  if (param === null || moved === undefined || message.includes(`'${moved}'`)) return body;
  return { error: { ...body.error, param: moved, message: message.replaceAll(`'${param}'`, `'${moved}'`) } };
}
