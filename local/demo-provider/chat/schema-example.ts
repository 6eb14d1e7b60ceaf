/**
 * Generates the simplest value that a JSON schema allows, for a forced tool call or a structured response. It covers what
 * such schemas commonly use.
 */
import { isObject } from '../../../shared/members.ts';
import type { JsonObject } from '../fields.ts';

const depthMax = 8;

export function exampleOf(schema: unknown, depth = 0): unknown {
  if (!isObject(schema) || depth > depthMax) return {};
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const [alternative] = [schema.anyOf, schema.oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  if (alternative !== undefined) return exampleOf(alternative, depth + 1);
  const type: unknown = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case 'string':
      return 'demo';
    case 'number':
    case 'integer':
      return typeof schema.minimum === 'number' ? schema.minimum : 0;
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'array':
      return typeof schema.minItems === 'number' && schema.minItems > 0 ? [exampleOf(schema.items, depth + 1)] : [];
    default:
      return exampleObject(schema, depth);
  }
}

function exampleObject(schema: JsonObject, depth: number): JsonObject {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  const wanted = Object.entries(properties).filter(([name]) => required.includes(name));
  return Object.fromEntries(wanted.map(([name, value]) => [name, exampleOf(value, depth + 1)]));
}
