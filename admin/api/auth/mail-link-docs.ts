/** What the documentation says about mailed links. */
import { describe } from '../../docs/describe.ts';
import {
  forgotPasswordBody,
  forgotPasswordExample,
  resentSchema,
  resetPasswordBody,
  resetPasswordExample,
  verifiedSchema,
  verifyEmailBody,
  verifyEmailExample,
} from './mail-link-schemas.ts';

const tag = 'Authentication';
const { email } = forgotPasswordExample;

export const verifyEmailDocs = describe({
  id: 'verifyEmail',
  summary: 'Prove an e-mail address',
  description:
    'Takes the token of a mailed link, which is good for one use within 48 hours. A link mailed to a new address ' +
    'changes the address of the user to it.\n\n' +
    'Anybody can sign up with an address that is not theirs. So the first verification of an address deactivates all ' +
    'API keys of the account, ends its sessions and voids links mailed before; keys can be activated again. Send the ' +
    "user's access token as `Authorization: Bearer …` if there is one: that session goes on, and a change of a " +
    'verified address then deactivates and ends nothing.',
  tag,
  security: 'none',
  body: { schema: verifyEmailBody, example: verifyEmailExample },
  answer: {
    status: 200,
    description: 'The address is proved.',
    schema: verifiedSchema,
    example: { email, emailVerified: true, keysDeactivated: 0 },
  },
  errors: ['invalid_link', 'email_taken', 'invalid_token', 'wrong_key_type'],
});

export const resendVerificationDocs = describe({
  id: 'resendVerification',
  summary: 'Mail the link to prove an address again',
  description: 'Goes to the address that waits for its proof: a new one first. At most 5 mails an hour to one address.',
  tag,
  security: 'accessToken',
  answer: { status: 200, description: 'Where the link was sent.', schema: resentSchema, example: { sentTo: email } },
  errors: ['too_many_attempts'],
});

export const forgotPasswordDocs = describe({
  id: 'forgotPassword',
  summary: 'Mail a link to set a new password',
  description:
    'Answers the same whether or not there is such a user. The link is good for one use within an hour. At most 5 ' +
    'mails an hour to one address, and 30 from one client.',
  tag,
  security: 'none',
  body: { schema: forgotPasswordBody, example: forgotPasswordExample },
  answer: { status: 202, description: 'If there is such a user, a mail is on its way.' },
  errors: ['too_many_attempts'],
});

export const resetPasswordDocs = describe({
  id: 'resetPassword',
  summary: 'Set a new password with a mailed link',
  description:
    'Verifies the address, ends all sessions of the user, voids their other links of this kind, calls a change of the ' +
    'address off, and tells them by mail. Where nobody had verified the address before, or only somebody who was not ' +
    'logged in, it deactivates all API keys of the account; the mail says how many. They can be activated again.',
  tag,
  security: 'none',
  body: { schema: resetPasswordBody, example: resetPasswordExample },
  answer: { status: 204, description: 'The new password is in force.' },
  errors: ['invalid_link', 'overloaded'],
});
