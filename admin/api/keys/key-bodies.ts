/** Reads the bodies of requests that create, change and rotate keys. */
import { GatewayError } from '../../../shared/errors.ts';
import { checkValue } from '../../../shared/http/check-value.ts';
import type { KeyKind } from '../../../shared/keys/api-key.ts';
import { windowedLimits } from '../../../shared/limits/spend-limits.ts';
import type { DbOrTransaction } from '../../database/connect.ts';
import { settablePart } from '../../http/request/settable-part.ts';
import { parseAllowedIps } from '../../keys/allowed-ips.ts';
import type { KeyChange } from '../../keys/change-key.ts';
import { type DataPolicyInput, parseDataPolicy } from '../../keys/data-policy.ts';
import type { KeyLimitColumns } from '../../keys/key-limits.ts';
import { parseKeyExpiry, parseKeyName } from '../../keys/parse-key-fields.ts';
import type { KeyFields } from '../../keys/record-key-action.ts';
import { refuseUnknownModels } from '../../keys/refuse-unknown-models.ts';
import type { Rotation } from '../../keys/rotate-key.ts';
import { checkDataPolicy } from '../fields/data-policy.ts';
import { withoutDecimals } from '../fields/money.ts';
import { type LimitsInput, readLimits } from './key-limits-schemas.ts';
import {
  type billingKeySchema,
  changeBillingKeyBody,
  changeProxyKeyBody,
  createBillingKeyBody,
  createProxyKeyBody,
  graceHoursOf,
  rotateKeyBody,
} from './key-schemas.ts';

interface ExpiryInput {
  readonly expires_at?: string | null;
  readonly expiresAt?: string | null;
}

interface NewKeyInput extends ExpiryInput {
  readonly name: string;
  readonly projectId?: number | null;
  readonly allowedIps?: readonly string[] | null;
  readonly dataPolicy?: DataPolicyInput | null;
  readonly cacheSeconds?: number | null;
  readonly limits?: LimitsInput;
}

interface KeyChangeInput extends ExpiryInput {
  readonly name?: string;
  readonly active?: boolean;
  readonly projectId?: number | null;
  readonly allowedIps?: readonly string[] | null;
  readonly dataPolicy?: DataPolicyInput | null;
  readonly cacheSeconds?: number | null;
  readonly limits?: LimitsInput;
}

const bodies = {
  proxy: { create: createProxyKeyBody, change: changeProxyKeyBody },
  billing: { create: createBillingKeyBody, change: changeBillingKeyBody },
};

/** The checks that need neither the clock nor the catalogue, and so give the same result for a repetition. */
export function checkNewKey(kind: KeyKind, body: unknown): NewKeyInput {
  return checkValue(bodies[kind].create, withoutDecimals(body));
}

export async function parseNewKey(db: DbOrTransaction, input: NewKeyInput): Promise<KeyFields> {
  return {
    name: parseKeyName(input.name),
    expiresAt: parseKeyExpiry(expiryOf(input)),
    ...(input.projectId !== undefined && { projectId: input.projectId }),
    ...(input.cacheSeconds !== undefined && { cacheSeconds: input.cacheSeconds }),
    ...parseAddresses(input),
    ...(await parsePolicy(db, input)),
    ...(await parseLimits(db, input.limits)),
  };
}

/** The spending of a key changes without the client. */
const liveAmounts = ['spend30d', ...windowedLimits.map(({ spent }) => spent.name)].flatMap((name) => [
  name,
  `${name}Usd`,
]);

/** `shown` is the key as the client has seen it; fields sent back unchanged change nothing. */
export async function parseKeyChange(
  db: DbOrTransaction,
  { kind, shown }: { kind: KeyKind; shown: typeof billingKeySchema.static },
  body: unknown,
): Promise<KeyChange> {
  const schema = bodies[kind].change;
  const live = ['state', 'awaitsVerification', 'lastUsedAt', ...liveAmounts];
  // The expiry that was shown may have passed since, and a provider may have left the catalogue; sending them back does not
  // set them again.
  const options = { shown, schema, live, dropUnchanged: ['expiresAt', 'dataPolicy'] };
  const input: KeyChangeInput = checkValue(schema, settablePart(withoutDecimals(body), options));
  const { name, active, projectId, cacheSeconds, limits } = input;
  const expiry = expiryOf(input);
  if (Object.keys(Object(body)).length === 0) throw nothingToChange();
  return {
    ...(name !== undefined && { name: parseKeyName(name) }),
    // For an expired key, `active` does not show whether it was deactivated.
    ...(active !== undefined && !(shown.state === 'expired' && !active) && { active }),
    ...(expiry !== undefined && { expiresAt: parseKeyExpiry(expiry) }),
    ...(projectId !== undefined && { projectId }),
    ...(cacheSeconds !== undefined && { cacheSeconds }),
    ...parseAddresses(input),
    ...(await parsePolicy(db, input)),
    ...(await parseLimits(db, limits)),
  };
}

export function parseRotation(input: typeof rotateKeyBody.static): Rotation {
  const expiry = expiryOf(input);
  return { graceHours: graceHoursOf(input), expiresAt: expiry === undefined ? undefined : parseKeyExpiry(expiry) };
}

export function nothingToChange(): GatewayError {
  return new GatewayError('missing_parameter', 'Send a field to change, such as `name` or `active`.', {
    param: 'name',
  });
}

/** A body is optional. */
export const checkRotation = (body: unknown): typeof rotateKeyBody.static => checkValue(rotateKeyBody, body ?? {});

/** Throws GatewayError `invalid_parameter` if both spellings are present and differ. */
function expiryOf({ expires_at: first, expiresAt: second }: ExpiryInput): string | null | undefined {
  if (first === undefined) return second;
  if (second === undefined || first === second) return first;
  throw new GatewayError('invalid_parameter', '`expires_at` and `expiresAt` are one field. Send one of them.', {
    param: 'expires_at',
  });
}

function parseAddresses({ allowedIps }: Pick<NewKeyInput, 'allowedIps'>): KeyLimitColumns {
  return allowedIps === undefined ? {} : { allowedIps: parseAllowedIps(allowedIps ?? [], 'allowedIps') };
}

async function parsePolicy(
  db: DbOrTransaction,
  { dataPolicy }: Pick<NewKeyInput, 'dataPolicy'>,
): Promise<KeyLimitColumns> {
  if (dataPolicy === undefined) return {};
  const input = checkDataPolicy(dataPolicy ?? {}, 'dataPolicy');
  return { dataPolicy: await parseDataPolicy(db, input, 'dataPolicy.') };
}

async function parseLimits(db: DbOrTransaction, input: LimitsInput | undefined): Promise<KeyLimitColumns> {
  const limits = readLimits(input);
  if (limits.allowedModels) await refuseUnknownModels(db, limits.allowedModels, 'limits.allowedModels');
  return limits;
}
