/** The documentation of mailed links. */
import { invalidLink } from '../../auth/mail-links/mail-tokens.ts';
import { emailTakenSince } from '../../auth/mail-links/verify-email.ts';
import { tooManyPasswords } from '../../auth/passwords/password-hasher.ts';
import { badAccessToken, keyInsteadOfToken } from '../../auth/sessions/access-tokens.ts';
import { mailsRefusal } from '../../auth/throttle/request-throttle.ts';
import { tooManyAttempts } from '../../auth/throttle/throttle.ts';
import { describe } from '../docs/describe.ts';
import {
  forgotPasswordBody,
  resentSchema,
  resetPasswordBody,
  verifiedSchema,
  verifyEmailBody,
} from './mail-link-schemas.ts';

const tag = 'Authentication';
const tooManyMails = tooManyAttempts(mailsRefusal, 60_000);

export const verifyEmailDocs = describe({
  id: 'verifyEmail',
  summary: 'Verify an e-mail address',
  description:
    'Takes the token of a mailed link, which works once within 48 hours. A link that was mailed to a new address makes ' +
    "it the user's address.\n\n" +
    'Anyone can sign up with an address that is not theirs. So the first verification of an address deactivates all ' +
    'API keys of the account, ends its sessions and voids links mailed before; keys can be activated again. Send the ' +
    "user's access token as `Authorization: Bearer …` if there is one: that session continues, and a change from a " +
    'verified address to another then deactivates and ends nothing.',
  tag,
  permission: 'public',
  body: { schema: verifyEmailBody },
  response: { description: 'The address is verified.', schema: verifiedSchema },
  errors: [invalidLink(), emailTakenSince(), badAccessToken(), keyInsteadOfToken()],
});

export const resendVerificationDocs = describe({
  id: 'resendVerification',
  permission: 'profile:manage',
  summary: 'Resend the link to verify an address',
  description:
    'Mails the link to the address that is waiting to be verified: the new one, if the address is being changed. Also to ' +
    'an address that was verified without a log-in, as second factors need. At ' +
    'most 5 e-mails an hour and 10 a day to one mailbox.',
  tag,
  response: { description: 'Where the link was sent.', schema: resentSchema },
  errors: [tooManyMails],
});

export const forgotPasswordDocs = describe({
  id: 'forgotPassword',
  summary: 'Mail a link to set a new password',
  description:
    'The response is the same whether or not the user exists. The link works once within an hour. At most 5 ' +
    'e-mails an hour to one address, and 30 from one client address.',
  tag,
  permission: 'public',
  body: { schema: forgotPasswordBody },
  response: { status: 202, description: 'If the user exists, an e-mail is on its way.' },
  errors: [tooManyMails],
});

export const resetPasswordDocs = describe({
  id: 'resetPassword',
  summary: 'Set a new password with a mailed link',
  description:
    'Sets the password and verifies the address. It ends all sessions of the user, voids their other links of this ' +
    'kind, cancels a pending change of the address, and notifies them by e-mail. If the address was not verified before, ' +
    'or only without a log-in, it deactivates all API keys of the account, and the e-mail says how many. ' +
    'They can be activated again.',
  tag,
  permission: 'public',
  body: { schema: resetPasswordBody },
  response: { status: 204, description: 'The password is changed.' },
  errors: [invalidLink(), tooManyPasswords()],
});
