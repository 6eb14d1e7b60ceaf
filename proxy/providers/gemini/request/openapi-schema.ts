/**
 * Translates JSON Schema to what Gemini accepts: the subset of OpenAPI 3.0 in https://ai.google.dev/api/caching#Schema.
 * References are inlined, `null` becomes `nullable`, and keywords that the API refuses are left out. That can only make
 * the schema less strict.
 */
import { isObject } from '../../../../shared/members.ts';
import { asArray, asRecord, type JsonRecord } from '../../../nouns/json/record.ts';
import { resolvePointer } from './json-pointer.ts';

/** How often a recursive schema is unrolled; below that, any object is valid. */
const unrolledMax = 2;
/** Deeper than any provider accepts, and shallow enough for the stack. */
const depthMax = 64;
/** References to references can double at every step; this limits the result. */
const nodesMax = 20_000;
/** The same for the members of schemas that are merged. */
const mergedMax = 100_000;
/** Limits long texts that are repeated with each reference, absolutely and as a multiple of the schema's own text. */
const charactersMax = { least: 16_384, timesOwn: 5 };

const types = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];
/** Keywords that are copied if their value has the type that the API accepts. */
const copiedKeywords: Readonly<Record<string, 'string' | 'number'>> = {
  title: 'string',
  description: 'string',
  pattern: 'string',
  minimum: 'number',
  maximum: 'number',
  minItems: 'number',
  maxItems: 'number',
  minLength: 'number',
  maxLength: 'number',
  minProperties: 'number',
  maxProperties: 'number',
};
const formats: Readonly<Record<string, readonly string[]>> = {
  string: ['date-time', 'enum'],
  number: ['float', 'double'],
  integer: ['int32', 'int64'],
};

export function toOpenApiSchema(schema: JsonRecord): JsonRecord {
  return new Conversion(schema).convert(schema, { depth: 0, references: [] });
}

/** Whether this is an object without properties, which the API refuses as parameters of a function. */
export function isEmptyObjectSchema(schema: JsonRecord): boolean {
  return schema.type === 'object' && schema.properties === undefined;
}

interface Place {
  readonly depth: number;
  /** The references that were followed to get here. */
  readonly references: readonly string[];
}

class Conversion {
  readonly #root: JsonRecord;
  #nodes = 0;
  #merged = 0;
  #characters = 0;
  #charactersMax: number | undefined;
  #isTooMuchText = false;

  constructor(root: JsonRecord) {
    this.#root = root;
  }

  convert(node: unknown, at: Place): JsonRecord {
    this.#nodes += 1;
    if (!isObject(node)) return { type: 'string' };
    if (at.depth > depthMax || this.#nodes > nodesMax || this.#hasTooMuchText(node)) return { type: 'object' };
    const place = { ...at, depth: at.depth + 1 };
    if (typeof node.$ref === 'string' || Array.isArray(node.allOf)) {
      const references = [...at.references];
      return this.convert(this.#flatten(node, { ...place, references }), { ...place, references });
    }
    const alternatives = alternativesOf(node);
    if (alternatives !== undefined) return this.#choose(node, alternatives, place);
    return this.#convertOne(node, place);
  }

  #hasTooMuchText(node: JsonRecord): boolean {
    if (this.#isTooMuchText) return true;
    this.#characters += charactersIn(node, { deep: false });
    if (this.#characters <= charactersMax.least) return false;
    this.#charactersMax ??= charactersMax.timesOwn * charactersIn(this.#root, { deep: true });
    this.#isTooMuchText = this.#characters > this.#charactersMax;
    return this.#isTooMuchText;
  }

  /** Merges the schema with its `$ref` and `allOf`. Adds to the references that were followed. */
  #flatten(node: unknown, at: { depth: number; references: string[] }): JsonRecord {
    this.#nodes += 1;
    if (!isObject(node) || at.depth > depthMax || this.#nodes > nodesMax) return {};
    const { $ref: reference, allOf, ...own } = node;
    const target = typeof reference === 'string' ? [this.#follow(reference, at.references)] : [];
    const parts = [...target, ...(Array.isArray(allOf) ? allOf : [])];
    const place = { ...at, depth: at.depth + 1 };
    return this.#merge([...parts.map((part) => this.#flatten(part, place)), own]);
  }

  /** A later schema takes precedence, except for properties, which are combined. */
  #merge(schemas: readonly JsonRecord[]): JsonRecord {
    const merged = new Map<string, unknown>();
    const properties = new Map<string, unknown>();
    const required = new Set<unknown>();
    for (const schema of schemas) {
      if (this.#merged > mergedMax) break;
      for (const name in schema) merged.set(name, schema[name]);
      for (const [name, property] of Object.entries(asRecord(schema.properties))) properties.set(name, property);
      for (const name of asArray(schema.required)) required.add(name);
      this.#merged += Object.keys(schema).length + Object.keys(asRecord(schema.properties)).length;
    }
    if (properties.size > 0) merged.set('properties', Object.fromEntries(properties));
    if (required.size > 0) merged.set('required', [...required]);
    return Object.fromEntries(merged);
  }

  #follow(reference: string, references: string[]): unknown {
    const target = resolvePointer(this.#root, reference);
    const unrolled = references.filter((earlier) => earlier === reference).length;
    if (!isObject(target) || unrolled >= unrolledMax) return { type: 'object' };
    references.push(reference);
    return target;
  }

  /** One of several schemas, with `null` as `nullable`. */
  #choose(node: JsonRecord, alternatives: readonly unknown[], place: Place): JsonRecord {
    const present = alternatives.filter((alternative) => !isNullSchema(alternative));
    const nullable = node.nullable === true || present.length < alternatives.length ? { nullable: true } : {};
    const converted = present.map((alternative) => this.convert(alternative, place));
    const [first] = converted;
    if (first === undefined) return { type: 'string', nullable: true, ...described(node) };
    if (converted.length === 1) return { ...first, ...described(node), ...nullable };
    if (converted.every(isPlainEnum)) {
      const values = new Set(converted.flatMap((one) => (Array.isArray(one.enum) ? one.enum : [])));
      return { type: 'string', enum: [...values], ...described(node), ...nullable };
    }
    return { ...described(node), anyOf: converted, ...nullable };
  }

  #convertOne(node: JsonRecord, place: Place): JsonRecord {
    const type = typeOf(node);
    const converted: Record<string, unknown> = { type };
    for (const [keyword, valueType] of Object.entries(copiedKeywords)) {
      if (typeof node[keyword] === valueType) converted[keyword] = node[keyword];
    }
    if (typeof node.format === 'string' && formats[type]?.includes(node.format)) converted.format = node.format;
    if (node.nullable === true || type === 'null') converted.nullable = true;
    if (type === 'null') converted.type = 'string';
    if (type === 'object') Object.assign(converted, this.#convertMembers(node, place));
    if (type === 'array') converted.items = this.#convertItems(node, place);
    return { ...converted, ...enumOf(node, type) };
  }

  #convertMembers(node: JsonRecord, place: Place): JsonRecord {
    if (!isObject(node.properties) || Object.keys(node.properties).length === 0) return {};
    const properties = Object.fromEntries(
      Object.entries(node.properties).map(([name, schema]) => [name, this.convert(schema, place)]),
    );
    // The API refuses required properties without a schema.
    const required = asArray(node.required).filter(
      (name) => typeof name === 'string' && Object.hasOwn(properties, name),
    );
    return { properties, ...(required.length === 0 ? {} : { required }) };
  }

  /** The API refuses arrays without `items`. A tuple becomes a list of any of its item schemas. */
  #convertItems(node: JsonRecord, place: Place): JsonRecord {
    const places = Array.isArray(node.prefixItems) ? node.prefixItems : node.items;
    if (!Array.isArray(places)) return this.convert(places, place);
    return places.length === 0 ? { type: 'string' } : this.#choose({}, places, place);
  }
}

/** The alternatives of a schema, if they describe the value. */
function alternativesOf(node: JsonRecord): readonly unknown[] | undefined {
  if (Array.isArray(node.type)) {
    const named = [...new Set(node.type)].filter(isTypeName);
    if (named.length > 0) return named.map((type) => (type === 'null' ? { type } : { ...withoutType(node), type }));
  }
  const listed = node.anyOf ?? node.oneOf;
  // With own properties, such a list only says which of them go together.
  if (!Array.isArray(listed) || listed.length === 0 || node.properties !== undefined) return undefined;
  return listed.every(describesValue) ? listed : undefined;
}

/** What one of several types has of a schema: the description belongs to all of them. */
const keptOfTypes = [
  ...Object.keys(copiedKeywords).filter((keyword) => keyword !== 'description'),
  ...['format', 'nullable', 'enum', 'const', 'properties', 'required', 'additionalProperties', 'items', 'prefixItems'],
  ...['anyOf', 'oneOf'],
];

function withoutType(node: JsonRecord): JsonRecord {
  const kept: Record<string, unknown> = {};
  for (const keyword of keptOfTypes) if (node[keyword] !== undefined) kept[keyword] = node[keyword];
  return kept;
}

const describing = ['type', '$ref', 'enum', 'const', 'properties', 'items', 'anyOf', 'oneOf', 'allOf'];

function describesValue(schema: unknown): boolean {
  return isObject(schema) && describing.some((keyword) => schema[keyword] !== undefined);
}

function isNullSchema(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  const { type, enum: values } = schema;
  return (
    type === 'null' || schema.const === null || (Array.isArray(values) && values.length > 0 && values.every(isNull))
  );
}

/** The API requires a type. If the schema has none, it follows from the other keywords. */
function typeOf(node: JsonRecord): string {
  const named = typeof node.type === 'string' ? node.type.toLowerCase() : '';
  if (types.includes(named)) return named;
  if (node.properties !== undefined || node.additionalProperties !== undefined) return 'object';
  if (node.items !== undefined || node.prefixItems !== undefined) return 'array';
  const value = node.const ?? (Array.isArray(node.enum) ? node.enum.find((one) => one !== null) : undefined);
  return typeof value === 'boolean' || typeof value === 'number' ? typeof value : 'string';
}

/** Enum values are always strings for the API. A boolean needs none. */
function enumOf(node: JsonRecord, type: string): JsonRecord {
  const values = node.const === undefined ? node.enum : [node.const];
  if (!Array.isArray(values) || values.length === 0 || type === 'boolean') return {};
  const present = values.filter((value) => !isNull(value));
  if (present.length === 0) return { nullable: true };
  return {
    type: 'string',
    enum: present.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))),
    ...(present.length < values.length ? { nullable: true } : {}),
  };
}

function isPlainEnum(schema: JsonRecord): boolean {
  return schema.type === 'string' && Array.isArray(schema.enum) && schema.nullable === undefined;
}

function described(node: JsonRecord): JsonRecord {
  return typeof node.description === 'string' ? { description: node.description } : {};
}

function isNull(value: unknown): boolean {
  return value === null;
}

/** The characters in names and strings; for a single node, including its lists such as `enum`. */
function charactersIn(root: JsonRecord, { deep }: { deep: boolean }): number {
  let characters = 0;
  const open: unknown[] = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value === 'string') characters += value.length;
    else if (Array.isArray(value)) for (const item of value) open.push(item ?? '');
    else if (isObject(value) && (deep || value === root)) {
      for (const [name, member] of Object.entries(value)) {
        characters += name.length;
        open.push(member ?? '');
      }
    }
  }
  return characters;
}

function isTypeName(value: unknown): value is string {
  return typeof value === 'string' && types.includes(value.toLowerCase());
}
