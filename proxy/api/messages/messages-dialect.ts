/** Anthropic's Messages API in front of chat models. */
import type { Dialect } from '../../nouns/dialect.ts';
import { renderMessage } from './response/render-message.ts';
import { renderMessageError } from './response/render-messages-error.ts';
import { MessageStream } from './response/write-message-stream.ts';

export const messagesDialect: Dialect = {
  renderBody: (completion, { call, charge, requestId }) =>
    renderMessage(completion, { model: call.model, charge, requestId }),
  openStream: ({ model }, requestId) => new MessageStream({ model, requestId }),
  requestIdHeader: 'request-id',
  renderError: renderMessageError,
};
