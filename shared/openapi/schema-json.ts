/**
 * A TypeBox schema as plain JSON, for a document: without TypeBox's symbols, and without `expected`, which is for error
 * messages only (shared/http/check-value.ts).
 */
export function schemaJson(
  schema: object,
  revise: (part: unknown) => unknown = (part) => part,
): Record<string, unknown> {
  return JSON.parse(JSON.stringify(schema), (name, value: unknown) => {
    // A property of this name has a schema, not a string.
    if (name === 'expected' && typeof value === 'string') return undefined;
    return revise(value);
  });
}
