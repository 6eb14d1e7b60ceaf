/**
 * What both programs' documents share: the one of /v1, which the proxy serves next to what it describes and admin in
 * its Swagger UI, and schemas as plain JSON.
 */
import { Kind } from '@sinclair/typebox';
import { isObject } from '../members.ts';
import document from './inference.json' with { type: 'json' };

/**
 * JSON text. The file is generated from the proxy's schemas; a test fails if it is out of date. `proxyUrl` is the base
 * of /v1: an address, or `/` for the origin that serves the document.
 */
export function inferenceDocument(proxyUrl: string): string {
  return JSON.stringify({ ...document, servers: [{ url: proxyUrl }] });
}

/**
 * A TypeBox schema for a document: without TypeBox's symbols, without `expected`, which is for error messages only
 * (shared/http/check-value.ts), and without the `example` of a field, which is part of the example of the body.
 */
export function schemaJson(
  schema: object,
  revise: (part: unknown) => unknown = (part) => part,
): Record<string, unknown> {
  const text = JSON.stringify(schema, (_name, part: unknown) => {
    // Properties have names of their own, so only schemas are changed.
    if (!isObject(part) || !(Kind in part)) return part;
    const { expected: _, example: __, ...published } = part;
    return published;
  });
  return JSON.parse(text, (_name, part: unknown) => revise(part));
}
