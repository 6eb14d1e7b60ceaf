/** POST /v1/chat/completions in the document. */
import { inferenceErrorForm, inferenceErrors } from '../error-codes.ts';
import { paidHeaders } from '../headers.ts';
import { describeOperation } from '../operation.ts';
import { chatCompletion, chatCompletionChunk, chatCompletionExample, chatStreamExample } from './answer.ts';
import { chatRequest, chatRequestExamples } from './request.ts';

export const chatSchemas = {
  ChatCompletionRequest: chatRequest,
  ChatCompletion: chatCompletion,
  ChatCompletionChunk: chatCompletionChunk,
};

export const chatPaths = {
  '/v1/chat/completions': {
    post: describeOperation({
      id: 'createChatCompletion',
      tag: 'Chat',
      summary: 'Answer a conversation',
      description:
        'The worst case is held while the request runs, and what was really used is charged. Of the parameters that are ' +
        'not named here, those that are known to be free are passed on to providers that speak this interface; any ' +
        'other is refused, because a provider might bill for it.',
      key: 'bearer',
      parameters: ['IdempotencyKey'],
      body: { schema: 'ChatCompletionRequest', examples: chatRequestExamples },
      answer: {
        description: 'The answer; with `stream`, as server-sent events.',
        headers: paidHeaders,
        schema: 'ChatCompletion',
        example: chatCompletionExample,
        stream: {
          schema: 'ChatCompletionChunk',
          description:
            'Each event is `data:` with a chunk; the last one is `data: [DONE]`. Lines that begin with a colon keep ' +
            'the connection alive. A stream that breaks off ends with an event that has an `error`, and without `[DONE]`.',
          example: chatStreamExample,
        },
      },
      errors: inferenceErrors,
      errorForm: inferenceErrorForm,
    }),
  },
};
