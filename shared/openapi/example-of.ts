/**
 * Examples composed from schemas. A field's schema carries its own `example`, which is not published beside the field;
 * what a field alone cannot know, such as amounts that add up, is given as overrides.
 */
import { OptionalKind, type Static, type TSchema } from '@sinclair/typebox';

const byFormat: Readonly<Record<string, string>> = {
  'date-time': '2030-01-01T12:00:00.000Z',
  date: '2030-01-01',
  uuid: '01945b2e-7c1a-7d3e-8f10-2b3c4d5e6f70',
};

/**
 * Without an example of its own, a field that may be null is null, one of several words is the first, a flag is false
 * and a count 0. Optional fields are only in it if they have one. Throws if a required field has nothing to show.
 */
export function exampleOf<Schema extends TSchema>(
  schema: Schema,
  overrides: Partial<Static<Schema>> = {},
): Static<Schema> {
  const composed = compose(schema);
  return Object.keys(overrides).length === 0 ? composed : { ...Object(composed), ...overrides };
}

function compose(schema: TSchema): unknown {
  const { example, nullable, properties, items, format, minimum } = schema;
  if (example !== undefined) return example;
  if (nullable === true) return null;
  if (properties !== undefined) return composeMembers(properties);
  if (items !== undefined) return canCompose(items) ? [compose(items)] : [];
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.type === 'boolean') return false;
  if (minimum === 0) return 0;
  if (byFormat[format] !== undefined) return byFormat[format];
  throw new Error(`there is no example of: ${schema.description}`);
}

function composeMembers(properties: Readonly<Record<string, TSchema>>): object {
  const shown = Object.entries(properties).filter(
    ([, property]) => !(OptionalKind in property) || property.example !== undefined,
  );
  return Object.fromEntries(shown.map(([name, property]) => [name, compose(property)]));
}

function canCompose({ properties, example }: TSchema): boolean {
  return properties !== undefined || example !== undefined;
}
