/** Makes the change of a key effective before the response, and decides what to respond if that fails. */
import { GatewayError } from '../../../shared/errors.ts';
import type { KeyKind } from '../../../shared/keys/api-key.ts';
import { changeRefusals } from '../../heavy-work/heavy-work.ts';
import { listOrganizations } from '../../organizations/organizations.ts';
import type { AdminServices } from '../../services.ts';
import { deliverOutbox } from '../../wallets/deliver-outbox.ts';

const retryAfterSeconds = 5;

interface KeyOwner {
  readonly accountId: number;
  readonly kind: KeyKind;
}

interface ChangeRequest {
  readonly accountId: number;
  /** Of the request: see `HeavyTask`. */
  readonly signal: AbortSignal;
}

/**
 * Makes a change that may affect all keys of an organization, in its turn, and makes it effective. Throws what the change and HeavyWork
 * throw, and as `deliverChange` does.
 */
export function changeInTurn(
  services: AdminServices,
  { accountId, signal }: ChangeRequest,
  change: () => Promise<void>,
): Promise<void> {
  return services.heavyChanges.run({ kind: 'change', accountId, signal }, async () => {
    await change();
    await deliverChange(services, { accountId, kind: 'proxy' });
  });
}

/** What `changeInTurn` may throw besides what the change does. */
export const turnErrors = (): readonly GatewayError[] => [...changeRefusals(), changeNotInForce(undefined)];

/** Throws GatewayError `wallet_unavailable`: a client must not believe that a leaked key is already blocked. */
export async function deliverChange(services: AdminServices, owner: KeyOwner): Promise<void> {
  try {
    await deliver(services, owner);
  } catch (cause) {
    throw changeNotInForce(cause);
  }
}

/**
 * Never throws. The secret of a new key exists only in the response that follows: with an error instead, the client
 * would have created a key without its secret, and would create another one with every retry. So the client gets the
 * key; until the worker has delivered it, moments after Redis is back, the proxy refuses it with 401, and no money can
 * be lost.
 */
export async function deliverNewKey(services: AdminServices, owner: KeyOwner): Promise<void> {
  try {
    await deliver(services, owner);
  } catch (error) {
    services.log.warn(
      { err: error, accountId: owner.accountId },
      'a new key is not active yet; the outbox worker will deliver it',
    );
  }
}

/** Never throws: the mailed link that deactivated the keys has been used, or their session has ended, for good. */
export async function deliverDeactivation(services: AdminServices, accountId: number): Promise<void> {
  try {
    await deliver(services, { accountId, kind: 'proxy' });
  } catch (error) {
    services.log.warn({ err: error, accountId }, 'keys still work; the outbox worker will deliver it');
  }
}

/** The same for all organizations of a user. */
export async function deliverDeactivationOf(services: AdminServices, userId: number): Promise<void> {
  const { db } = services.database;
  for (const { id } of await listOrganizations(db, userId)) await deliverDeactivation(services, id);
}

/** Billing keys are looked up in Postgres, so a change is effective as soon as it is recorded, even without Redis. */
async function deliver({ database, keeper }: AdminServices, { accountId, kind }: KeyOwner): Promise<void> {
  if (kind === 'proxy') await deliverOutbox({ sql: database.sql, keeper }, accountId);
}

export function changeNotInForce(cause: unknown): GatewayError {
  return new GatewayError('wallet_unavailable', 'The change is recorded and will take effect shortly.', {
    retryAfterSeconds,
    cause,
  });
}
