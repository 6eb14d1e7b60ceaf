/** POST /v1/messages and /v1/messages/count_tokens in the document. */
import { Type } from '@sinclair/typebox';
import type { ErrorForm } from '../../../shared/openapi/describe-errors.ts';
import { renderMessageError } from '../../dialects/messages/render-error.ts';
import { tokenCountPath } from '../../endpoints/count-tokens.ts';
import { askingErrors, inferenceErrors } from '../error-codes.ts';
import { paidHeaders, rateHeaders, rateHeadersOf, requestIdExample } from '../headers.ts';
import { describeOperation } from '../operation.ts';
import { count } from '../schema-parts.ts';
import { message, messageError, messageEvent, messageExample, messageStreamExample } from './answer.ts';
import {
  messagesRequest,
  messagesRequestExamples,
  messageTurn,
  tokenCountExamples,
  tokenCountRequest,
} from './request.ts';

const errorForm: ErrorForm = {
  schema: 'MessageError',
  render: (error) => renderMessageError(error, requestIdExample),
  headersOf: (status) => ['request-id', ...rateHeadersOf(status)],
};

export const messageSchemas = {
  MessageRequest: messagesRequest,
  MessageTurn: messageTurn,
  Message: message,
  MessageEvent: messageEvent,
  MessageError: messageError,
  TokenCountRequest: tokenCountRequest,
  TokenCount: Type.Object({ input_tokens: count('Tokens of the prompt, by estimate.') }),
};

export const messagePaths = {
  '/v1/messages': {
    post: describeOperation({
      id: 'createMessage',
      tag: 'Messages',
      summary: "Answer a conversation in Anthropic's interface",
      description:
        'In front of every chat model. Metered, held and charged as a chat completion is. Fields of Anthropic’s own ' +
        'service are ignored, but for those that it bills by, which are refused.',
      key: 'either',
      parameters: ['IdempotencyKey'],
      body: { schema: 'MessageRequest', examples: messagesRequestExamples },
      answer: {
        description: 'The message; with `stream`, as server-sent events.',
        headers: ['request-id', ...paidHeaders],
        schema: 'Message',
        example: messageExample,
        stream: {
          schema: 'MessageEvent',
          description: 'Named events, of which `message_stop` is the last. One that breaks off ends with `error`.',
          example: messageStreamExample,
        },
      },
      errors: inferenceErrors,
      errorForm,
    }),
  },
  [tokenCountPath]: {
    post: describeOperation({
      id: 'countTokens',
      tag: 'Messages',
      summary: 'Estimate the tokens of a prompt',
      description: 'Costs nothing and asks no provider. Counts as a request towards the limit of requests a minute.',
      key: 'either',
      body: { schema: 'TokenCountRequest', examples: tokenCountExamples },
      answer: {
        description: 'The estimate.',
        headers: ['request-id', ...rateHeaders],
        schema: 'TokenCount',
        example: { input_tokens: 9 },
      },
      errors: askingErrors,
      errorForm,
    }),
  },
};
