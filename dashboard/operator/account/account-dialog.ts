/** What every dialog about an account needs. */
import type { Account } from './queries.ts';

export interface AccountDialogProps {
  readonly account: Account;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** How the account is named in titles and questions. */
export const nameOf = ({ email, id }: Account): string => email ?? `#${id}`;
