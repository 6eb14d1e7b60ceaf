/** One user, for people and for programs. */
import { renderUser } from '../../../api/operator/render-account.ts';
import type { User } from '../../../auth/create-user.ts';
import type { Outcome } from '../../command.ts';

export const describeUser = (user: User) => ({ ...renderUser(user), accountId: user.accountId });

/** `before` is printed first. */
export function showUser(user: User, before?: string): Outcome {
  const shown = describeUser(user);
  const lines = [
    `User ${shown.id} of account ${shown.accountId}, ${shown.role}`,
    `E-mail     ${shown.email}${shown.emailVerified ? '' : ' (not verified)'}`,
    `Name       ${shown.displayName ?? 'none'}`,
    `Created    ${shown.createdAt}`,
  ];
  return { text: (before === undefined ? lines : [before, '', ...lines]).join('\n'), object: shown };
}
