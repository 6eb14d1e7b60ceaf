/**
 * A field that holds one of several kinds of object is checked part by part, so that an error can name the part; the
 * schema leaves it unknown. Here such fields get the shape that the document shows.
 */
import { OptionalKind, type TObject, type TSchema, Type } from '@sinclair/typebox';

/** A field keeps its description, and stays optional if it was. */
export function withShapes<Schema extends TObject>(
  schema: Schema,
  shapes: Readonly<Partial<Record<keyof Schema['properties'] & string, TSchema>>>,
): TObject {
  const { properties, description } = schema;
  const shaped = Object.entries<TSchema | undefined>(shapes).map(([name, shape]) => {
    const field = properties[name];
    const described = { ...shape, description: field?.description } as TSchema;
    return [name, field !== undefined && OptionalKind in field ? Type.Optional(described) : described];
  });
  return Type.Object(
    { ...properties, ...Object.fromEntries(shaped) },
    description === undefined ? {} : { description },
  );
}
