/** How many invitations an organization may send: each is a mail to a stranger. */
import type { RequestThrottle } from '../../auth/throttle/request-throttle.ts';
import { type Throttle, throttleKey } from '../../auth/throttle/throttle.ts';

export const invitationsDayMax = 50;
const dayMs = 86_400_000;
export const invitationsRefusal = `An organization can send at most ${invitationsDayMax} invitations a day. Try again later.`;

interface Limited {
  readonly accountId: number;
  readonly to: string;
  /** The client's address. */
  readonly address: string;
}

/** Throws GatewayError `too_many_attempts`. */
export async function countInvitation(
  { throttle, requests }: { throttle: Throttle; requests: RequestThrottle },
  { accountId, to, address }: Limited,
): Promise<void> {
  await requests.countMail({ purpose: 'verify', to, address });
  const counter = { key: throttleKey('invitations', String(accountId)), max: invitationsDayMax, windowMs: dayMs };
  await throttle.take([counter], invitationsRefusal);
}
