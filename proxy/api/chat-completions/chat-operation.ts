/** POST /v1/chat/completions in the OpenAPI document. */
import { describeOperation } from '../../../shared/openapi/describe-operation.ts';
import { chatRequestSchema } from '../../nouns/requests/chat-request.ts';
import { inferenceErrorForm, inferenceErrors } from '../document/error-codes.ts';
import { refusalsOfBodies } from '../document/error-examples.ts';
import { repeatableHeaders } from '../document/headers.ts';
import { proxyKey } from '../document/security.ts';
import { readChatCompletion } from './chat-completions.ts';
import { chatRequestExamples, refusedChatBodies } from './chat-examples.ts';
import {
  chatCompletion,
  chatCompletionChunk,
  chatCompletionExample,
  chatStreamExample,
} from './chat-response-schemas.ts';

export const chatSchemas = {
  ChatCompletionRequest: chatRequestSchema,
  ChatCompletion: chatCompletion,
  ChatCompletionChunk: chatCompletionChunk,
};

export const chatRefusals = refusalsOfBodies(readChatCompletion, refusedChatBodies);

export const chatPaths = {
  '/v1/chat/completions': {
    post: describeOperation({
      id: 'createChatCompletion',
      tag: 'Chat',
      summary: 'Generate the next message of a conversation',
      description:
        "The usual way to use a chat model, in the format of OpenAI's Chat Completions API. While the request runs, its maximum cost is held: the " +
        'whole prompt and `max_tokens` of output. When it ends, you pay for the tokens that were used. Parameters that ' +
        'are not listed here are passed on to the provider if they are known to be free, and refused otherwise.',
      security: proxyKey,
      parameters: ['IdempotencyKey', 'Cache'],
      body: { schema: 'ChatCompletionRequest', examples: chatRequestExamples },
      response: {
        description: 'The completion, or a stream of events with `stream: true`.',
        headers: repeatableHeaders,
        schema: 'ChatCompletion',
        example: chatCompletionExample,
        stream: {
          schema: 'ChatCompletionChunk',
          description:
            'Each event is `data:` with a chunk as JSON; the last one is `data: [DONE]`. Lines that begin with a colon ' +
            'keep the connection alive. A stream that fails ends with an `error` event and without `[DONE]`.',
          example: chatStreamExample,
        },
      },
      errors: [...inferenceErrors, ...chatRefusals],
      errorForm: inferenceErrorForm,
    }),
  },
};
