/** Anthropic's Messages, spoken to the client of a chat model. */
import type { Dialect } from '../dialect.ts';
import { MessageStream } from './message-stream.ts';
import { renderMessageError } from './render-error.ts';
import { renderMessage } from './render-message.ts';

export const messagesDialect: Dialect = {
  renderBody: (completion, { call, charge, requestId }) =>
    renderMessage(completion, { model: call.model, charge, requestId }),
  openStream: ({ model }, requestId) => new MessageStream({ model, requestId }),
  requestIdHeader: 'request-id',
  renderError: renderMessageError,
};
