/** The one shape of errors, as a schema. */
const text = { type: 'string' as const };

/** `nullableText` is how the document's version of OpenAPI says that a text may be null. */
export const errorSchema = <Text extends object>(nullableText: Text) => ({
  type: 'object' as const,
  required: ['error'],
  properties: {
    error: {
      type: 'object' as const,
      required: ['message', 'type', 'code', 'param'],
      properties: {
        message: { type: 'string' as const, description: 'For people; may change.' },
        type: { type: 'string' as const, description: 'The category, such as `invalid_request_error`.' },
        code: { type: 'string' as const, description: 'For programs; never changes.' },
        param: { ...nullableText, description: 'The parameter at fault: `items[0].name`.' },
        errors: {
          type: 'array' as const,
          description: 'Every parameter at fault, from endpoints that look at all of them.',
          items: {
            type: 'object' as const,
            required: ['param', 'code', 'message'],
            properties: { param: text, code: text, message: text },
          },
        },
      },
    },
  },
});
