/** POST /v1/responses in the document. */
import { inferenceErrorForm, inferenceErrors } from '../error-codes.ts';
import { paidHeaders } from '../headers.ts';
import { describeOperation } from '../operation.ts';
import { outputItem, response, responseEvent, responseExample, responseStreamExample } from './answer.ts';
import { inputItem, responsesRequest, responsesRequestExamples } from './request.ts';

export const responseSchemas = {
  ResponseRequest: responsesRequest,
  ResponseInputItem: inputItem,
  Response: response,
  ResponseOutputItem: outputItem,
  ResponseEvent: responseEvent,
};

export const responsePaths = {
  '/v1/responses': {
    post: describeOperation({
      id: 'createResponse',
      tag: 'Responses',
      summary: "Generate the next items of a conversation, in OpenAI's newer interface",
      description:
        "For clients of OpenAI's Responses API. Works with every chat model of any provider, and is held and charged as a " +
        'chat completion is. The gateway stores nothing between requests: send the whole conversation each time.',
      key: 'bearer',
      parameters: ['IdempotencyKey'],
      body: { schema: 'ResponseRequest', examples: responsesRequestExamples },
      answer: {
        description: 'The response, or the events of its stream with `stream: true`.',
        headers: paidHeaders,
        schema: 'Response',
        example: responseExample,
        stream: {
          schema: 'ResponseEvent',
          description:
            'Named events. The last one is `response.completed`, `response.incomplete` or `response.failed`.',
          example: responseStreamExample,
        },
      },
      errors: inferenceErrors,
      errorForm: inferenceErrorForm,
    }),
  },
};
