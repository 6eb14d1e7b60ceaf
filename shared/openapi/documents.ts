/**
 * What both programs' documents share: the one of /v1, which the proxy serves next to what it describes and admin in
 * its Swagger UI, and schemas as plain JSON.
 */
import document from './inference.json' with { type: 'json' };

/**
 * JSON text. The file is generated from the proxy's schemas; a test fails if it is out of date. `proxyUrl` is the base
 * of /v1: an address, or `/` for the origin that serves the document.
 */
export function inferenceDocument(proxyUrl: string): string {
  return JSON.stringify({ ...document, servers: [{ url: proxyUrl }] });
}

/**
 * A TypeBox schema for a document: without TypeBox's symbols, and without `expected`, which is for error messages only
 * (shared/http/check-value.ts).
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
