/** OpenAI's Responses interface in front of chat models. The calls that it is given are those of its own endpoint. */
import { errorBody } from '../../../shared/errors.ts';
import type { RenderedCharge } from '../../adapters/adapter.ts';
import type { ChatCompletion } from '../chat-completion.ts';
import type { Dialect } from '../dialect.ts';
import { Output } from './output.ts';
import { digitsOf, endingOf, itemStatusOf, renderResponse } from './response-object.ts';
import { ResponsesStream } from './responses-stream.ts';
import type { ResponsesCall } from './settings.ts';

export const responsesDialect: Dialect = {
  renderBody,
  openStream: ({ settings }: ResponsesCall, requestId) => new ResponsesStream(requestId, settings),
  renderError: errorBody,
};

function renderBody(
  { choices: [choice] }: ChatCompletion,
  { call, charge, requestId }: { call: ResponsesCall; charge: RenderedCharge; requestId: string },
): string {
  const { settings } = call;
  const output = new Output({
    digits: digitsOf(requestId),
    withThoughts: settings.withThoughts,
    emit: () => undefined,
  });
  if (choice !== undefined) {
    const { role, tool_calls, ...message } = choice.message;
    output.add({ ...message, tool_calls: tool_calls?.map((call, index) => ({ index, ...call })) ?? [] });
  }
  const ending = endingOf(choice?.finish_reason ?? 'stop');
  return renderResponse({ requestId, settings, ending, output: output.end(itemStatusOf(ending)) }, charge);
}
