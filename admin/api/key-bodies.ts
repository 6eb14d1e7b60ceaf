/** Reads what callers send to make and to change keys. */
import { GatewayError } from '../../shared/errors.ts';
import { checkValue } from '../../shared/http/check-value.ts';
import type { KeyKind } from '../../shared/keys/api-key.ts';
import type { DbOrTransaction } from '../database/connect.ts';
import type { KeyChange } from '../keys/change-key.ts';
import type { NewKey } from '../keys/create-key.ts';
import type { KeyLimitColumns } from '../keys/key-limits.ts';
import { parseKeyExpiry, parseKeyName } from '../keys/parse-key-fields.ts';
import { refuseUnknownModels } from '../keys/refuse-unknown-models.ts';
import { type LimitsInput, readLimits } from './key-limits-schemas.ts';
import { changeBillingKeyBody, changeProxyKeyBody, createBillingKeyBody, createProxyKeyBody } from './key-schemas.ts';

interface NewKeyInput {
  readonly name: string;
  readonly expires_at?: string;
  readonly limits?: LimitsInput;
}

interface KeyChangeInput {
  readonly name?: string;
  readonly active?: boolean;
  readonly limits?: LimitsInput;
}

const bodies = {
  proxy: { create: createProxyKeyBody, change: changeProxyKeyBody },
  billing: { create: createBillingKeyBody, change: changeBillingKeyBody },
};

/** What can be said without looking at the clock or the catalogue, and so is the same for a repetition. */
export function checkNewKey(kind: KeyKind, body: unknown): NewKeyInput {
  return checkValue(bodies[kind].create, body);
}

export async function parseNewKey(
  db: DbOrTransaction,
  input: NewKeyInput,
): Promise<Omit<NewKey, 'accountId' | 'kind'>> {
  return {
    name: parseKeyName(input.name),
    expiresAt: parseKeyExpiry(input.expires_at),
    ...(await parseLimits(db, input.limits)),
  };
}

export async function parseKeyChange(db: DbOrTransaction, kind: KeyKind, body: unknown): Promise<KeyChange> {
  const { name, active, limits }: KeyChangeInput = checkValue(bodies[kind].change, body);
  if (name === undefined && active === undefined && limits === undefined) {
    throw new GatewayError('missing_parameter', 'Send something to change, such as `name` or `active`.', {
      param: 'name',
    });
  }
  return {
    ...(name !== undefined && { name: parseKeyName(name) }),
    ...(active !== undefined && { active }),
    ...(await parseLimits(db, limits)),
  };
}

async function parseLimits(db: DbOrTransaction, input: LimitsInput | undefined): Promise<KeyLimitColumns> {
  const limits = readLimits(input);
  if (limits.allowedModels) await refuseUnknownModels(db, limits.allowedModels, 'limits.allowedModels');
  return limits;
}
