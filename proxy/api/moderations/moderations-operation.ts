/** POST /v1/moderations in the document. */
import { type TSchema, Type } from '@sinclair/typebox';
import { describeOperation } from '../../../shared/openapi/describe-operation.ts';
import { inferenceErrorForm, inferenceErrors } from '../document/error-codes.ts';
import { refusalsOfBodies } from '../document/error-examples.ts';
import { repeatableHeaders } from '../document/headers.ts';
import { count, text, usd } from '../document/schema-parts.ts';
import { proxyKey } from '../document/security.ts';
import { moderationRequestSchema } from './moderation-request.ts';
import { readModeration } from './moderations.ts';

const ofCategories = (value: TSchema, description: string) =>
  Type.Unsafe<object>({ type: 'object', additionalProperties: value, description });

const moderation = Type.Object(
  {
    id: text('An identifier of the response.'),
    model: text('The model that responded.'),
    results: Type.Array(
      Type.Object({
        flagged: Type.Boolean({ description: 'Whether it is harmful in any category.' }),
        categories: ofCategories(Type.Boolean(), "Whether it is harmful, for each of the model's categories."),
        category_scores: ofCategories(Type.Number(), 'How sure the model is, from 0 to 1, for each category.'),
        category_applied_input_types: Type.Optional(
          ofCategories(Type.Array(Type.Unknown()), 'Whether the text or the picture was judged, if the model says so.'),
        ),
      }),
      { description: 'One result for each input, in their order; one for all parts.' },
    ),
    usage: Type.Object(
      {
        prompt_tokens: count(
          'Tokens of all inputs together; 0 if they cost nothing and the provider does not count them.',
        ),
        total_tokens: count('The same as `prompt_tokens`, because there is no output.'),
        cost: usd('The cost of the request in USD. It has been charged.'),
      },
      { description: 'The tokens that were used, and their cost.' },
    ),
  },
  { description: 'What the model says about each input.' },
);

export const moderationSchemas = { ModerationRequest: moderationRequestSchema, Moderation: moderation };

const minimal = { model: 'demo/moderation', input: 'We attack at dawn.' };
const refusals = refusalsOfBodies(readModeration, {
  missing_parameter: { model: minimal.model },
  invalid_parameter: { ...minimal, input: [] },
  unsupported_parameter: { ...minimal, web_search_options: {} },
});

export const moderationPaths = {
  '/v1/moderations': {
    post: describeOperation({
      id: 'createModeration',
      tag: 'Moderations',
      summary: 'Judge whether texts and pictures are harmful',
      description:
        'For models of the kind `moderation`. Many cost nothing; they count towards the limits of your key like any other request. ' +
        '`model` is required.',
      security: proxyKey,
      parameters: ['IdempotencyKey', 'Cache'],
      body: {
        schema: 'ModerationRequest',
        examples: {
          one: { summary: 'A text', value: minimal },
          several: { summary: 'Several texts', value: { ...minimal, input: ['Good morning.', 'We attack at dawn.'] } },
        },
      },
      response: {
        description: 'A result for each input.',
        headers: repeatableHeaders,
        schema: 'Moderation',
        example: {
          id: 'modr-1',
          model: 'demo/moderation',
          results: [{ flagged: true, categories: { violence: true }, category_scores: { violence: 0.98 } }],
          usage: { prompt_tokens: 0, total_tokens: 0, cost: 0 },
        },
      },
      errors: [...inferenceErrors, ...refusals],
      errorForm: inferenceErrorForm,
    }),
  },
};
