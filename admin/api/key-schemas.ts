/** Keys as the interface shows them (§2.4). */
import { Type } from '@sinclair/typebox';
import { zeroNano } from '../../shared/money.ts';
import type { Key } from '../keys/announce-key.ts';
import { keyStates, stateOf } from '../keys/key-state.ts';
import { keyNameMaxLength } from '../keys/parse-key-fields.ts';
import type { KeyUsage } from '../keys/read-key-usage.ts';
import { nullableInput } from './checked-by.ts';
import { changeLimitsSchema, limitsSchema, renderLimits } from './key-limits-schemas.ts';
import { usdFields, usdValues } from './money.ts';
import { closedObject, label, nullable, oneOf, timestamp } from './schemas.ts';

const name = label(keyNameMaxLength);
const expiry = Type.Optional(
  nullableInput(
    Type.String({
      description: 'a moment in the future in ISO 8601: a date, or a date with a time, UTC if it has no offset',
    }),
  ),
);
/** Two spellings of one field: the interface's, and that of the answers. */
const expiryFields = { expires_at: expiry, expiresAt: expiry };
const createFields = { name, ...expiryFields };
const changeFields = {
  name: Type.Optional(name),
  active: Type.Optional(Type.Boolean({ description: 'true or false' })),
  ...expiryFields,
};
const graceHoursMax = 8_760;
const defaultGraceHours = 24;
const limits = { limits: Type.Optional(changeLimitsSchema) };

const keyFields = {
  id: Type.Integer(),
  name: Type.String(),
  prefix: Type.String({ description: 'The first 11 characters of the key.' }),
  active: Type.Boolean({ description: 'Whether the key can be used now: it is neither deactivated nor expired.' }),
  state: oneOf(keyStates, 'Why it can be used or not; an expired key is `expired` even if it is deactivated too.'),
  createdAt: timestamp,
  expiresAt: nullable(Type.String({ format: 'date-time', description: 'From then on it is refused; null is never.' })),
};
const proxyKeyFields = {
  ...keyFields,
  lastUsedAt: nullable(Type.String({ format: 'date-time', description: 'When it was last charged.' })),
  ...usdFields('spend30d', 'What it was charged today (UTC) and on the 29 days before, in USD.'),
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

export const rotateKeyBody = closedObject({
  graceHours: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: graceHoursMax,
      default: defaultGraceHours,
      description: `for how many hours the old key still works, from 0 to ${graceHoursMax}`,
    }),
  ),
  ...expiryFields,
});

export const rotatedKeySchema = Type.Object({
  ...createdKeySchema.properties,
  replaces: Type.Object(
    { id: Type.Integer(), expiresAt: timestamp },
    { description: 'The old key, and when it stops to work.' },
  ),
});

/** Where a caller names none. */
export const graceHoursOf = ({ graceHours = defaultGraceHours }: typeof rotateKeyBody.static): number => graceHours;

export function renderKey(key: Key): typeof billingKeySchema.static {
  const { id, name, prefix, createdAt, expiresAt } = key;
  const state = stateOf(key);
  return {
    id,
    name,
    prefix,
    active: state === 'active',
    state,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
  };
}

export function renderReplaced({ id, expiresAt }: Key): (typeof rotatedKeySchema.static)['replaces'] {
  if (expiresAt === null) throw new Error(`key ${id} was replaced and goes on for ever`);
  return { id, expiresAt: expiresAt.toISOString() };
}

/** A key that was never charged has no usage. */
export function renderProxyKey(
  key: Key,
  { usage, awaitsVerification }: { usage: KeyUsage | undefined; awaitsVerification: boolean },
): typeof proxyKeySchema.static {
  return {
    ...renderKey(key),
    lastUsedAt: usage?.lastUsedAt.toISOString() ?? null,
    ...usdValues('spend30d', usage?.spent30dNano ?? zeroNano),
    awaitsVerification,
    limits: renderLimits(key),
  };
}
