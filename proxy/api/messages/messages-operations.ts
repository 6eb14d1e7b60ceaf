/** POST /v1/messages and /v1/messages/count_tokens in the OpenAPI document. */
import { Type } from '@sinclair/typebox';
import type { ErrorForm } from '../../../shared/openapi/describe-errors.ts';
import { describeOperation } from '../../../shared/openapi/describe-operation.ts';
import { inferenceErrors, walletErrors } from '../document/error-codes.ts';
import { commonExamples, refusalsOfBodies } from '../document/error-examples.ts';
import { rateHeaders, rateHeadersOf, repeatableHeaders, requestIdExample } from '../document/headers.ts';
import { count } from '../document/schema-parts.ts';
import { eitherKey } from '../document/security.ts';
import { tokenCountPath } from './count-tokens.ts';
import { message, messageError, messageEvent, messageExample, messageStreamExample } from './message-schemas.ts';
import { readMessages, readTokenCount } from './messages.ts';
import {
  messagesRequest,
  messagesRequestExamples,
  messageTurn,
  tokenCountExamples,
  tokenCountRequest,
} from './messages-body-schema.ts';
import { renderMessageError } from './response/render-messages-error.ts';

const errorForm: ErrorForm = {
  schema: 'MessageError',
  render: (error) => renderMessageError(error, requestIdExample),
  headersOf: (status) => ['request-id', ...rateHeadersOf(status)],
  examples: commonExamples,
};

const { value: countBody } = tokenCountExamples.short;
const { value: messageBody } = messagesRequestExamples.short;
const bash = { type: 'bash_20250124', name: 'bash' };
const messageRefusals = refusalsOfBodies(readMessages, {
  missing_parameter: countBody,
  invalid_parameter: { ...messageBody, temperature: 2 },
  unsupported_parameter: { ...messageBody, tools: [bash] },
});
const countRefusals = refusalsOfBodies(readTokenCount, {
  missing_parameter: { model: countBody.model },
  invalid_parameter: { ...countBody, messages: [] },
  unsupported_parameter: { ...countBody, tools: [bash] },
});

export const messageSchemas = {
  MessageRequest: messagesRequest,
  MessageTurn: messageTurn,
  Message: message,
  MessageEvent: messageEvent,
  MessageError: messageError,
  TokenCountRequest: tokenCountRequest,
  TokenCount: Type.Object(
    {
      input_tokens: count(
        "The estimated tokens of the prompt. Requests are charged by the provider's count, which may differ.",
      ),
    },
    { description: 'An estimate of the tokens in a prompt.' },
  ),
};

export const messagePaths = {
  '/v1/messages': {
    post: describeOperation({
      id: 'createMessage',
      tag: 'Messages',
      summary: "Generate the next message of a conversation, in Anthropic's format",
      description:
        "For clients of Anthropic's API. Works with every chat model of any provider. Holds and charges work as for chat " +
        "completions. Fields about Anthropic's own service are ignored, or refused if they affect Anthropic's prices.",
      security: eitherKey,
      parameters: ['IdempotencyKey', 'Cache'],
      body: { schema: 'MessageRequest', examples: messagesRequestExamples },
      response: {
        description: 'The message, or a stream of events with `stream: true`.',
        headers: ['request-id', ...repeatableHeaders],
        schema: 'Message',
        example: messageExample,
        stream: {
          schema: 'MessageEvent',
          description: 'Named events; the last one is `message_stop`. A stream that fails ends with `error` instead.',
          example: messageStreamExample,
        },
      },
      errors: [...inferenceErrors, ...messageRefusals],
      errorForm,
    }),
  },
  [tokenCountPath]: {
    post: describeOperation({
      id: 'countTokens',
      tag: 'Messages',
      summary: 'Estimate the tokens of a prompt',
      description:
        "Use it to check whether a conversation fits the model's context. Free and without a call to the provider, but counts " +
        'towards the limit of requests per minute.',
      security: eitherKey,
      body: { schema: 'TokenCountRequest', examples: tokenCountExamples },
      response: {
        description: 'The estimated number of tokens.',
        headers: ['request-id', ...rateHeaders],
        schema: 'TokenCount',
        example: { input_tokens: 9 },
      },
      errors: [...walletErrors, ...countRefusals],
      errorForm,
    }),
  },
};
