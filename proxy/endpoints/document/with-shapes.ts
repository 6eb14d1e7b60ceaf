/**
 * Fields that hold one of several kinds of object are checked piece by piece, so that an error can name the piece; to
 * their schema they are unknown. Here they get the shape that they have in the document.
 */
import { OptionalKind, type TObject, type TSchema, Type } from '@sinclair/typebox';

/** A field keeps its description, and may be left out where it could before. */
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
