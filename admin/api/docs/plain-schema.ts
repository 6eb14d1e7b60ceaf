/**
 * Converts a schema to OpenAPI 3.0, in which `nullable` is allowed only next to `type`
 * (https://spec.openapis.org/oas/v3.0.4.html#schema-object), so of several schemas the first one is the nullable one.
 */
import { isObject } from '../../../shared/members.ts';
import { schemaJson } from '../../../shared/openapi/documents.ts';

interface Schema {
  readonly oneOf?: readonly object[];
  readonly nullable?: boolean;
}

export function openApi30Schema(schema: object): Record<string, unknown> {
  return schemaJson(schema, (part) => (isObject(part) ? nullableInside(part) : part));
}

function nullableInside(schema: Schema): Schema {
  const { oneOf, nullable, ...rest } = schema;
  if (oneOf === undefined || nullable !== true) return schema;
  const [first, ...others] = oneOf;
  return { ...rest, oneOf: [{ ...first, nullable }, ...others] };
}
