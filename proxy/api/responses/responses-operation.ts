/** POST /v1/responses in the OpenAPI document. */
import { describeOperation } from '../../../shared/openapi/describe-operation.ts';
import { inferenceErrorForm, inferenceErrors } from '../document/error-codes.ts';
import { refusalsOfBodies } from '../document/error-examples.ts';
import { repeatableHeaders } from '../document/headers.ts';
import { proxyKey } from '../document/security.ts';
import { outputItem } from './output-item-schemas.ts';
import { response, responseEvent, responseExample, responseStreamExample } from './response-schemas.ts';
import { readResponses } from './responses.ts';
import { inputItem, responsesRequest, responsesRequestExamples } from './responses-body-schema.ts';

export const responseSchemas = {
  ResponseRequest: responsesRequest,
  ResponseInputItem: inputItem,
  Response: response,
  ResponseOutputItem: outputItem,
  ResponseEvent: responseEvent,
};

const { model, input } = responsesRequestExamples.short.value;
const refusals = refusalsOfBodies(readResponses, {
  missing_parameter: { model },
  invalid_parameter: { model, input, max_output_tokens: 0 },
  unsupported_parameter: { model, input, previous_response_id: 'resp_01940b5e7c1f7a3b9d2e5f60718293a4' },
});

export const responsePaths = {
  '/v1/responses': {
    post: describeOperation({
      id: 'createResponse',
      tag: 'Responses',
      summary: "Generate the next items of a conversation, in OpenAI's Responses format",
      description:
        "For clients of OpenAI's Responses API. Works with every chat model of any provider. Holds and charges work as for " +
        'chat completions. The gateway stores nothing between requests: send the whole conversation each time.',
      security: proxyKey,
      parameters: ['IdempotencyKey', 'Cache'],
      body: { schema: 'ResponseRequest', examples: responsesRequestExamples },
      response: {
        description: 'The response, or a stream of events with `stream: true`.',
        headers: repeatableHeaders,
        schema: 'Response',
        example: responseExample,
        stream: {
          schema: 'ResponseEvent',
          description:
            'Named events. The last one is `response.completed`, `response.incomplete` or `response.failed`.',
          example: responseStreamExample,
        },
      },
      errors: [...inferenceErrors, ...refusals],
      errorForm: inferenceErrorForm,
    }),
  },
};
