/** Keys as the interface shows them (§2.4). */
import { Type } from '@sinclair/typebox';
import { toJsonNumber, zeroNano } from '../../shared/money.ts';
import type { Key } from '../keys/announce-key.ts';
import { keyNameMaxLength } from '../keys/parse-key-fields.ts';
import type { KeyUsage } from '../keys/read-key-usage.ts';
import { changeLimitsSchema, limitsSchema, renderLimits } from './key-limits-schemas.ts';
import { closedObject, label, nullable, timestamp } from './schemas.ts';

const name = label(keyNameMaxLength);
const createFields = {
  name,
  expires_at: Type.Optional(Type.String({ description: 'a moment in the future in ISO 8601 with a zone' })),
};
const changeFields = {
  name: Type.Optional(name),
  active: Type.Optional(Type.Boolean({ description: 'true or false' })),
};
const limits = { limits: Type.Optional(changeLimitsSchema) };

const keyFields = {
  id: Type.Integer(),
  name: Type.String(),
  prefix: Type.String({ description: 'The first 11 characters of the key.' }),
  active: Type.Boolean(),
  createdAt: timestamp,
  expiresAt: nullable(timestamp),
};
const proxyKeyFields = {
  ...keyFields,
  lastUsedAt: nullable(Type.String({ format: 'date-time', description: 'When it was last charged.' })),
  spend30d: Type.Number({ description: 'What it was charged today (UTC) and on the 29 days before, in USD.' }),
  awaitsVerification: Type.Boolean({
    description:
      'True until the e-mail address of the account is verified: `/v1` refuses the key with 403 `email_not_verified`. ' +
      'Verifying the address deactivates it; activate it again then.',
  }),
  limits: limitsSchema,
};

/** Billing keys spend nothing, so they have no limits. */
export const createBillingKeyBody = closedObject(createFields);
export const changeBillingKeyBody = closedObject(changeFields);
export const billingKeySchema = Type.Object(keyFields);

export const createProxyKeyBody = closedObject({ ...createFields, ...limits });
export const changeProxyKeyBody = closedObject({ ...changeFields, ...limits });
export const proxyKeySchema = Type.Object(proxyKeyFields);

export const createdKeySchema = Type.Object({
  id: Type.Integer(),
  key: Type.String({ description: 'The full key. It is shown this once.' }),
});

export function renderKey(key: Key): typeof billingKeySchema.static {
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

/** A key that was never charged has no usage. */
export function renderProxyKey(
  key: Key,
  { usage, awaitsVerification }: { usage: KeyUsage | undefined; awaitsVerification: boolean },
): typeof proxyKeySchema.static {
  return {
    ...renderKey(key),
    lastUsedAt: usage?.lastUsedAt.toISOString() ?? null,
    spend30d: toJsonNumber(usage?.spent30dNano ?? zeroNano),
    awaitsVerification,
    limits: renderLimits(key),
  };
}
