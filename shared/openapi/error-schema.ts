/** The one shape of errors, as a schema. */

/** `nullableText` is how the document's version of OpenAPI says that a text may be null; `more` are members of its own. */
export const errorSchema = <Text extends object>(nullableText: Text, more: object = {}) => ({
  type: 'object' as const,
  description: 'Why a request failed.',
  required: ['error'],
  properties: {
    error: {
      type: 'object' as const,
      description: 'What went wrong.',
      required: ['message', 'type', 'code', 'param'],
      properties: {
        message: {
          type: 'string' as const,
          description: 'What went wrong and what to do about it, for people. The wording may change.',
        },
        type: { type: 'string' as const, description: 'The category of the error, such as `invalid_request_error`.' },
        code: {
          type: 'string' as const,
          description: 'The error, for programs: one of the codes listed with each status. Codes never change.',
        },
        param: {
          ...nullableText,
          description:
            'The parameter at fault, as a path into the request, such as `items[0].name`; null if there is none.',
        },
        errors: {
          type: 'array' as const,
          description:
            'Every parameter at fault, from endpoints that check all of them. The first one is in `param` too.',
          items: {
            type: 'object' as const,
            required: ['param', 'code', 'message'],
            properties: {
              param: { type: 'string' as const, description: 'The parameter at fault, as a path into the request.' },
              code: { type: 'string' as const, description: 'What is wrong with it, for programs.' },
              message: { type: 'string' as const, description: 'What is wrong with it, for people.' },
            },
          },
        },
        ...more,
      },
    },
  },
});
