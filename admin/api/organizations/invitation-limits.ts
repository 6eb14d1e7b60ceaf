/** How many invitations may be sent: each is a mail to a stranger. */
import { mailboxOf } from '../../auth/throttle/mailbox.ts';
import { mailsRefusal } from '../../auth/throttle/request-throttle.ts';
import { hashEmail, type Throttle, throttleKey } from '../../auth/throttle/throttle.ts';

/** Of an organization. */
export const invitationsDayMax = 50;
/** To one mailbox, from all organizations. */
export const mailboxHourMax = 5;
export const mailboxDayMax = 10;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
export const invitationsRefusal = `An organization can send at most ${invitationsDayMax} invitations a day. Try again later.`;

/** Throws GatewayError `too_many_attempts`. */
export async function countInvitation(
  throttle: Throttle,
  { accountId, to }: { readonly accountId: number; readonly to: string },
): Promise<void> {
  const ofOrganization = {
    key: throttleKey('invitations', String(accountId)),
    max: invitationsDayMax,
    windowMs: dayMs,
  };
  // First: one that has used its own up takes nothing from the mailbox.
  await throttle.take([ofOrganization], invitationsRefusal);
  const mailbox = hashEmail(mailboxOf(to));
  // Apart from links to verify an address: invitations must not keep anyone from signing up.
  const ofMailbox = [
    { key: throttleKey('invitations-to', mailbox), max: mailboxHourMax, windowMs: hourMs },
    { key: throttleKey('invitations-to-day', mailbox), max: mailboxDayMax, windowMs: dayMs },
  ];
  try {
    await throttle.take(ofMailbox, mailsRefusal);
  } catch (error) {
    await throttle.giveBack(ofOrganization.key);
    throw error;
  }
}
