/**
 * Adds an address to the list that an account's alerts go to, and mails it a confirmation link. It gets no other mail
 * before its owner has confirmed.
 */
import { GatewayError } from '../../../shared/errors.ts';
import type { Language } from '../../../shared/languages.ts';
import type { Caller } from '../../auth/authorize.ts';
import { issueMailToken } from '../../auth/mail-links/mail-tokens.ts';
import type { Db, Transaction } from '../../database/connect.ts';
import { addressUnverified, refuseDeleted } from '../../database/rows/account-state.ts';
import { emailOfAccount } from '../../database/rows/email-of-account.ts';
import { lockAccount } from '../../database/rows/lock-account.ts';
import { alertAddresses } from '../../database/tables/notifications.ts';
import { queueMail } from '../../mail/queue/queue-mail.ts';
import { type Actor, recordAction } from '../../operations/audit/record-action.ts';
import { type AlertAddress, listAddresses, statusOf } from './alert-address.ts';

/** Counts addresses of every status. */
export const addressesMax = 10;

interface NewAddress {
  readonly email: string;
  readonly language: Language;
  /** Where people reach the dashboard, and /api. */
  readonly publicUrl: string;
}

type Owner = Pick<Caller, 'id' | 'accountId'>;

/**
 * An address that is on the list but gets no alerts is mailed another link. Throws GatewayError `email_not_verified`,
 * `address_exists` or `too_many_addresses`.
 */
export function addAddress(
  db: Db,
  actor: Actor,
  owner: Owner,
  { email, language, publicUrl }: NewAddress,
): Promise<AlertAddress> {
  return db.transaction(async (transaction) => {
    // One at a time for an account, so that two requests cannot both take the last free place.
    const { ownership } = await lockAccount(transaction, owner.accountId);
    await refuseDeleted(transaction, owner.accountId);
    if (ownership === 'unproven') throw addressUnverified();
    const accountEmail = (await emailOfAccount(transaction, owner.accountId)) ?? '';
    const address = await findOrInsert(transaction, { accountId: owner.accountId, accountEmail, email });
    const { token, expiresAt } = await issueMailToken(transaction, {
      purpose: 'verify_alert_address',
      userId: owner.id,
      accountId: owner.accountId,
      email: address.email,
    });
    const url = `${publicUrl}/api/alert-addresses/confirm?token=${token}`;
    await queueMail(transaction, {
      kind: 'verify_alert_address',
      to: address.email,
      language,
      accountId: owner.accountId,
      data: { url, expiresAt: expiresAt.toISOString(), accountEmail },
    });
    await recordAction(transaction, actor, {
      action: 'alert_address.add',
      subject: `alert address ${address.id}`,
      accountId: owner.accountId,
      after: { email: address.email },
    });
    return address;
  });
}

async function findOrInsert(
  transaction: Transaction,
  { accountId, accountEmail, email }: { accountId: number; accountEmail: string; email: string },
): Promise<AlertAddress> {
  if (isSame(accountEmail, email)) throw addressExists("The account's own address already gets all alerts.");
  const listed = await listAddresses(transaction, accountId);
  const found = listed.find((address) => isSame(address.email, email));
  if (found !== undefined) {
    if (statusOf(found) === 'active') throw addressExists();
    return found;
  }
  if (listed.length >= addressesMax) throw tooManyAddresses();
  const [added] = await transaction.insert(alertAddresses).values({ accountId, email }).returning();
  if (added === undefined) throw new Error('an insert returned no address');
  return added;
}

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

export const addressExists = (message = 'This address already receives alerts.') =>
  new GatewayError('address_exists', message, { param: 'email' });

export function tooManyAddresses(): GatewayError {
  const message = `An account can have at most ${addressesMax} additional alert addresses. Remove one first.`;
  return new GatewayError('too_many_addresses', message, { param: 'email' });
}
