/**
 * A schema as OpenAPI 3.0 shows it: plain JSON without TypeBox's symbols, and without `expected`, which is for error
 * messages (shared/http/check-value.ts). There `nullable` stands beside `type` only
 * (https://spec.openapis.org/oas/v3.0.4.html#schema-object), so of several schemas the first one is the nullable one.
 */

interface Schema {
  readonly oneOf?: readonly object[];
  readonly nullable?: boolean;
}

export function plainSchema(schema: object): Record<string, unknown> {
  return JSON.parse(JSON.stringify(schema), (name, value: unknown) => {
    if (name === 'expected' && typeof value === 'string') return undefined;
    return isObject(value) ? nullableInside(value) : value;
  });
}

function nullableInside(schema: Schema): Schema {
  const { oneOf, nullable, ...rest } = schema;
  if (oneOf === undefined || nullable !== true) return schema;
  const [first, ...others] = oneOf;
  return { ...rest, oneOf: [{ ...first, nullable }, ...others] };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
