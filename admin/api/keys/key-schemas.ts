/** Keys as the interface specifies them (§2.4). */
import { Type } from '@sinclair/typebox';
import { windowedLimits } from '../../../shared/limits/spend-limits.ts';
import { merged } from '../../../shared/members.ts';
import { zeroNano } from '../../../shared/money.ts';
import { cacheLifetimeMaxSeconds } from '../../../shared/response-cache/cache-keys.ts';
import { type Key, keyStates, stateOf } from '../../keys/find-key.ts';
import { keyNameMaxLength } from '../../keys/parse-key-fields.ts';
import type { KeyUsage } from '../../keys/read-key-usage.ts';
import { allowedIpsField } from '../fields/allowed-ips.ts';
import { nullableInput } from '../fields/checked-by.ts';
import { keyDataPolicyInput, keyDataPolicySchema, renderDataPolicy } from '../fields/data-policy.ts';
import { fullKeyLike, project, proxyKey } from '../fields/example-values.ts';
import { usdFields, usdValues } from '../fields/money.ts';
import { closedObject, flag, idOf, integer, label, nullable, oneOf, text, timestamp } from '../fields/schemas.ts';
import { changeLimitsSchema, limitsSchema, renderLimits } from './key-limits-schemas.ts';

const name = label(
  keyNameMaxLength,
  'A name to recognize the key by. Several keys may have the same one.',
  proxyKey.name,
);
const expiry = (description: string, example?: string) =>
  Type.Optional(
    nullableInput(
      Type.String({
        description,
        example,
        expected: 'a moment in the future in ISO 8601: a date, or a date with a time, UTC if it has no offset',
      }),
    ),
  );
/** Two spellings of one field: the interface's, and the responses'. */
const expiryFields = {
  expires_at: expiry(
    'When the key stops working: an ISO 8601 date or date and time in the future, in UTC unless it has an offset. ' +
      'Null is never.',
    '2031-01-01T00:00:00Z',
  ),
  expiresAt: expiry('The same as `expires_at`, as responses spell it. Send only one of the two.'),
};
const createFields = { name, ...expiryFields };
const changeFields = {
  name: Type.Optional(name),
  active: Type.Optional(
    Type.Boolean({
      description: 'False deactivates the key: it is refused until you activate it again with true.',
      expected: 'true or false',
    }),
  ),
  ...expiryFields,
};
const graceHoursMax = 8_760;
const defaultGraceHours = 24;
const proxyKeyInput = {
  projectId: Type.Optional(
    nullableInput(
      idOf(
        'a project',
        'The project that the key is used for, which its charges are attributed to from now on; null is none.',
      ),
    ),
  ),
  allowedIps: Type.Optional(
    nullableInput(
      allowedIpsField(
        'IP addresses and networks in CIDR notation from which requests with the key are accepted; none, or null, is from anywhere. ' +
          'The list of the organization applies besides.',
      ),
    ),
  ),
  dataPolicy: Type.Optional(keyDataPolicyInput),
  cacheSeconds: Type.Optional(
    nullableInput(
      Type.Integer({
        minimum: 1,
        maximum: cacheLifetimeMaxSeconds,
        description:
          'For how many seconds responses to requests with `temperature` 0, to embeddings, moderations and rankings are stored and given again, ' +
          'for nothing, to exact repetitions; null is never. A request decides otherwise with the header `x-cache`.',
        example: 3_600,
        expected: `a whole number of seconds from 1 to ${cacheLifetimeMaxSeconds}`,
      }),
    ),
  ),
  limits: Type.Optional(changeLimitsSchema),
};

const keyFields = {
  id: integer('The id of the key, to change, rotate or delete it with.', proxyKey.id),
  name: text('The name that the key was given.', proxyKey.name),
  prefix: text('The first 11 characters of the key, to recognize it by.', proxyKey.prefix),
  active: flag('Whether the key can be used now: it is not deactivated or expired, nor is its project archived.', true),
  state: oneOf(
    keyStates,
    'Why it can be used or not; an expired key is `expired` even if it is deactivated too, and `project_archived` is one that ' +
      'would be active.',
    'active',
  ),
  createdAt: timestamp('When the key was created.'),
  expiresAt: nullable(timestamp('When the key stops working; null is never.')),
};
const spentExamples: Readonly<Record<string, string>> = { spendToday: '0.02', spendMonth: '0.31' };
const proxyKeyFields = {
  ...keyFields,
  projectId: nullable(integer('The project that it is used for; null if it is in none.', project.id)),
  allowedIps: nullable(
    allowedIpsField(
      'From where requests with the key are accepted; null if from anywhere. The list of the organization applies besides.',
    ),
  ),
  dataPolicy: keyDataPolicySchema,
  cacheSeconds: nullable(
    integer(
      'For how many seconds responses are stored and given again, for nothing, to exact repetitions; null if they are not.',
      3_600,
    ),
  ),
  lastUsedAt: nullable(
    timestamp('When a request of the key was last charged; null if none was.', '2030-01-02T08:30:00.000Z'),
  ),
  ...usdFields('spend30d', 'What the key was charged today (in UTC) and on the 29 days before, in USD.', '1.284'),
  ...merged(
    windowedLimits.map(({ spent }) =>
      usdFields(spent.name, `What the key was charged ${spent.since}, in USD.`, spentExamples[spent.name] ?? '0'),
    ),
  ),
  awaitsVerification: flag(
    'True until the e-mail address of the account is verified: `/v1` refuses the key with 403 `email_not_verified`. ' +
      'Verifying the address deactivates the key; activate it again then.',
  ),
  limits: limitsSchema,
};

/** Billing keys spend nothing, so they have no limits. */
export const createBillingKeyBody = closedObject(createFields);
export const changeBillingKeyBody = closedObject(changeFields);
export const billingKeySchema = Type.Object(keyFields, { title: 'BillingKey' });

export const createProxyKeyBody = closedObject({ ...createFields, ...proxyKeyInput });
export const changeProxyKeyBody = closedObject({ ...changeFields, ...proxyKeyInput });
export const proxyKeySchema = Type.Object(proxyKeyFields, { title: 'ProxyKey' });

export const createdKeySchema = Type.Object(
  {
    id: integer('The id of the key.', proxyKey.id),
    key: text(
      'The full key. It is shown only once and cannot be retrieved later: store it.',
      fullKeyLike(proxyKey.prefix),
    ),
  },
  { title: 'CreatedKey' },
);

export const rotateKeyBody = closedObject({
  graceHours: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: graceHoursMax,
      default: defaultGraceHours,
      description: 'How many hours the old key keeps working beside the new one; 0 ends it immediately.',
      expected: `for how many hours the old key still works, from 0 to ${graceHoursMax}`,
    }),
  ),
  ...expiryFields,
});

export const rotatedKeySchema = Type.Object(
  {
    ...createdKeySchema.properties,
    replaces: Type.Object(
      {
        id: integer('The id of the old key.', proxyKey.id),
        expiresAt: timestamp('When the old key stops working.', '2030-01-03T12:00:00.000Z'),
      },
      { description: 'The key that was rotated.' },
    ),
  },
  { title: 'RotatedKey' },
);

/** The default. */
export const graceHoursOf = ({ graceHours = defaultGraceHours }: typeof rotateKeyBody.static): number => graceHours;

/** `archived` are the ids of the account's archived projects. */
export function renderKey(key: Key, archived: ReadonlySet<number>): typeof billingKeySchema.static {
  const { id, name, prefix, createdAt, expiresAt } = key;
  const state = stateOf(key, archived);
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
  if (expiresAt === null) throw new Error(`key ${id} was replaced and has no expiry`);
  return { id, expiresAt: expiresAt.toISOString() };
}

interface KeySurroundings {
  /** The ids of the account's archived projects. */
  readonly archived: ReadonlySet<number>;
  /** A key that was never charged has none. */
  readonly usage: KeyUsage | undefined;
  readonly awaitsVerification: boolean;
}

export function renderProxyKey(
  key: Key,
  { archived, usage, awaitsVerification }: KeySurroundings,
): typeof proxyKeySchema.static {
  return {
    ...renderKey(key, archived),
    projectId: key.projectId,
    allowedIps: key.allowedIps,
    dataPolicy: key.dataPolicy && renderDataPolicy(key.dataPolicy),
    cacheSeconds: key.cacheSeconds,
    lastUsedAt: usage?.lastUsedAt.toISOString() ?? null,
    ...usdValues('spend30d', usage?.spent30dNano ?? zeroNano),
    ...merged(windowedLimits.map(({ spent }) => usdValues(spent.name, usage?.spentNano[spent.name] ?? zeroNano))),
    awaitsVerification,
    limits: renderLimits(key),
  };
}
