/** OpenAI's Responses API in front of chat models. It only ever gets calls of its own endpoint. */
import { type ErrorBody, errorBody, type GatewayError } from '../../../shared/errors.ts';
import type { ChatCompletion } from '../../nouns/chat-completion.ts';
import type { Dialect } from '../../nouns/dialect.ts';
import type { RenderedCharge } from '../../nouns/usage.ts';
import type { ReadResponsesCall } from './request/settings.ts';
import { movedParameters } from './request/unsupported.ts';
import { Output } from './response/output.ts';
import { digitsOf, endingOf, itemStatusOf, renderResponse } from './response/response-object.ts';
import { ResponsesStream } from './response/responses-stream.ts';

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
  if (choice !== undefined) {
    const { role, tool_calls, ...message } = choice.message;
    output.add({ ...message, tool_calls: tool_calls?.map((call, index) => ({ index, ...call })) ?? [] });
  }
  const ending = endingOf(choice?.finish_reason ?? 'stop');
  return renderResponse({ requestId, settings, ending, output: output.end(itemStatusOf(ending)) }, charge);
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
