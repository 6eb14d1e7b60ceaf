/** A member that may be missing or null, like every optional parameter of the interface. */
import { type TSchema, Type } from '@sinclair/typebox';

export const optional = <Schema extends TSchema>(schema: Schema) =>
  Type.Optional(Type.Union([schema, Type.Null()], textsOf(schema)));

function textsOf({ description, expected }: TSchema) {
  return { ...(description !== undefined && { description }), ...(expected !== undefined && { expected }) };
}
