/** Keys as the interface shows them (§2.4). */
import { Type } from '@sinclair/typebox';
import type { Key } from '../keys/announce-key.ts';
import { keyNameMaxLength } from '../keys/parse-key-fields.ts';
import { closedObject, label, nullable, timestamp } from './schemas.ts';

const name = label(keyNameMaxLength);

export const createKeyBody = closedObject({
  name,
  expires_at: Type.Optional(Type.String({ description: 'a moment in the future in ISO 8601 with a zone' })),
});

export const changeKeyBody = closedObject({
  name: Type.Optional(name),
  active: Type.Optional(Type.Boolean({ description: 'true or false' })),
});

export const keySchema = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  prefix: Type.String({ description: 'The first 11 characters of the key.' }),
  active: Type.Boolean(),
  createdAt: timestamp,
  expiresAt: nullable(timestamp),
});

export const keyListSchema = Type.Object({ keys: Type.Array(keySchema) });
export const createdKeySchema = Type.Object({
  id: Type.Integer(),
  key: Type.String({ description: 'The full key. It is shown this once.' }),
});

export function renderKey(key: Key): typeof keySchema.static {
  const { id, name, prefix, active, createdAt, expiresAt } = key;
  return {
    id,
    name,
    prefix,
    active,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
  };
}
