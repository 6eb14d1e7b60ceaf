/**
 * Simplifies the schemas that validate requests for the OpenAPI 3.1 document: a union of words becomes an enum, and a
 * nullable value one schema of two types. What is valid stays the same.
 */
import { isObject } from '../../../shared/members.ts';
import { schemaJson } from '../../../shared/openapi/documents.ts';
import type { JsonRecord } from '../../nouns/json/record.ts';

const anyKey = '^(.*)$';

export function openApi31Schema(schema: object): JsonRecord {
  return simplify(schemaJson(schema));
}

function simplify(schema: JsonRecord): JsonRecord {
  const entries = Object.entries(schema).flatMap(([name, value]) => simplifyMember(name, value));
  return foldUnion(Object.fromEntries(entries));
}

function simplifyMember(name: string, value: unknown): [string, unknown][] {
  if (name === 'properties' && isObject(value)) {
    return [[name, Object.fromEntries(Object.entries(value).map(([key, member]) => [key, simplifyAny(member)]))]];
  }
  if (name === 'patternProperties' && isObject(value) && isObject(value[anyKey])) {
    return [['additionalProperties', Object.keys(value[anyKey]).length === 0 ? true : simplify(value[anyKey])]];
  }
  if (name === 'items' || name === 'additionalProperties') return [[name, simplifyAny(value)]];
  if (name === 'anyOf' && Array.isArray(value)) return [[name, value.map(simplifyAny)]];
  return [[name, value]];
}

function simplifyAny(value: unknown): unknown {
  return isObject(value) ? simplify(value) : value;
}

function foldUnion(schema: JsonRecord): JsonRecord {
  if (!Array.isArray(schema.anyOf)) return schema;
  const { anyOf, ...rest } = schema;
  const variants = anyOf.filter(isObject);
  if (variants.every(({ const: word }) => typeof word === 'string')) {
    return { type: 'string', enum: variants.map(({ const: word }) => word), ...rest };
  }
  const [one, ...others] = variants.filter(({ type }) => type !== 'null');
  if (one === undefined || others.length > 0 || variants.length === 1) return schema;
  return { ...withNull(one), ...rest };
}

function withNull(schema: JsonRecord): JsonRecord {
  if (typeof schema.type === 'string' && schema.const === undefined) {
    const type = [schema.type, 'null'];
    return Array.isArray(schema.enum) ? { ...schema, type, enum: [...schema.enum, null] } : { ...schema, type };
  }
  if (Array.isArray(schema.anyOf)) {
    const { anyOf, ...rest } = schema;
    return { ...rest, anyOf: [...anyOf, { type: 'null' }] };
  }
  return { anyOf: [schema, { type: 'null' }] };
}
