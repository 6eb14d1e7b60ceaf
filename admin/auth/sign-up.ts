/** Creates a customer and mails them a verification link, both or neither. */
import { GatewayError } from '../../shared/errors.ts';
import type { Db } from '../database/connect.ts';
import type { Language } from '../http/request/preferred-language.ts';
import { chooseLanguage } from '../notifications/settings.ts';
import { createUser, type NewUser, type User } from './create-user.ts';
import { mailLink } from './mail-links/mail-link.ts';

interface SignUp extends Omit<NewUser, 'role' | 'ownership'> {
  readonly language: Language;
  readonly publicUrl: string;
}

/** Throws GatewayError `email_taken`. */
export function signUp(db: Db, { language, publicUrl, ...person }: SignUp): Promise<User> {
  return db.transaction(async (transaction) => {
    const user = await createUser(transaction, { ...person, role: 'customer', ownership: 'unproven' });
    const { id: userId, accountId, email: to } = user;
    await chooseLanguage(transaction, accountId, language);
    await mailLink(transaction, { purpose: 'verify_email', userId, accountId, to, language, publicUrl });
    return user;
  });
}

export const signUpClosed = () => new GatewayError('registration_closed', 'Sign-up is closed.');
