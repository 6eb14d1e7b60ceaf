/** A fast-check arbitrary of the values that an OpenAPI document's JSON schema allows, edge cases included. */
import fc from 'fast-check';
import type { SeededRandom } from '../../harness/seeded-random.ts';

export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly nullable?: boolean;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
}

type Schemas = Readonly<Record<string, JsonSchema>>;

const itemsMax = 3;
const textMax = 300;
/** Schemas are recursive; below this depth there are no more optional members. */
const depthMax = 6;

export function arbitraryOf(schema: JsonSchema, schemas: Schemas, depth = 0): fc.Arbitrary<unknown> {
  const of = (inner: JsonSchema) => arbitraryOf(inner, schemas, depth + 1);
  if (schema.$ref !== undefined) {
    const target = schemas[schema.$ref.slice('#/components/schemas/'.length)];
    return target === undefined ? fc.anything() : of(target);
  }
  if (schema.nullable === true) return fc.option(of({ ...schema, nullable: false }));
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf ?? types(schema);
  if (choices !== undefined) {
    // The recursion has to end.
    return depth > depthMax ? of(choices[0] ?? {}) : fc.oneof(...choices.map(of));
  }
  return ofType(schema, of, depth);
}

/** One of these values, always the same for the same random number. */
export function sample<Value>(values: fc.Arbitrary<Value>, random: SeededRandom): Value {
  const [value] = fc.sample(values, { seed: random.integer(0, 2 ** 31), numRuns: 1 });
  if (value === undefined) throw new Error('nothing was drawn');
  return value;
}

function types({ type, ...schema }: JsonSchema): JsonSchema[] | undefined {
  return Array.isArray(type) ? type.map((one) => ({ ...schema, type: one })) : undefined;
}

function ofType(
  schema: JsonSchema,
  of: (inner: JsonSchema) => fc.Arbitrary<unknown>,
  depth: number,
): fc.Arbitrary<unknown> {
  switch (schema.type) {
    case 'string':
      return textOf(schema);
    case 'integer':
      return fc.integer(rangeOf(schema));
    case 'number':
      return fc.double({ ...rangeOf(schema), noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array': {
      const minLength = schema.minItems ?? 0;
      const maxLength = Math.max(minLength, Math.min(schema.maxItems ?? itemsMax, itemsMax));
      return fc.array(of(schema.items ?? {}), { minLength, maxLength });
    }
    case 'object': {
      const { properties = {}, required = [] } = schema;
      const kept = Object.entries(properties).filter(([name]) => depth <= depthMax || required.includes(name));
      const members = Object.fromEntries(kept.map(([name, member]) => [name, of(member)]));
      return fc.record(members, { requiredKeys: required.filter((name) => name in members), noNullPrototype: true });
    }
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function textOf({ pattern, minLength = 0, maxLength = textMax }: JsonSchema): fc.Arbitrary<string> {
  const length = { minLength, maxLength: Math.max(minLength, Math.min(maxLength, textMax)) };
  const anyText = fc.oneof(fc.string(length), fc.string({ ...length, unit: 'grapheme' }));
  if (pattern === undefined) return anyText;
  try {
    return fc.stringMatching(new RegExp(pattern, 'u'));
  } catch {
    // The pattern has a part that cannot be reversed, such as a look-ahead.
    return anyText;
  }
}

function rangeOf({ minimum, maximum, exclusiveMinimum }: JsonSchema): { min: number; max: number } {
  const min = minimum ?? (exclusiveMinimum === undefined ? -1_000 : exclusiveMinimum + 1);
  return { min, max: Math.max(min, maximum ?? 2 ** 31 - 1) };
}
