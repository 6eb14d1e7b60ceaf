/** Keys as the interface shows them (§2.4). */
import { t } from 'elysia';
import type { Key } from '../keys/announce-key.ts';
import { keyNameMaxLength } from '../keys/parse-key-fields.ts';
import { closedObject, label, nullable, timestamp } from './schemas.ts';

const name = label(keyNameMaxLength);

export const createKeyBody = closedObject({
  name,
  expires_at: t.Optional(t.String({ description: 'a moment in the future in ISO 8601 with a zone' })),
});

export const changeKeyBody = closedObject({
  name: t.Optional(name),
  active: t.Optional(t.Boolean({ description: 'true or false' })),
});

export const keySchema = t.Object({
  id: t.Integer(),
  name: t.String(),
  prefix: t.String({ description: 'The first 11 characters of the key.' }),
  active: t.Boolean(),
  createdAt: timestamp,
  expiresAt: nullable(timestamp),
});

export const keyListSchema = t.Object({ keys: t.Array(keySchema) });
export const createdKeySchema = t.Object({
  id: t.Integer(),
  key: t.String({ description: 'The full key. It is shown this once.' }),
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
