/** The bodies of the endpoints for mailed links. */
import { Type } from '@sinclair/typebox';
import { customer } from '../fields/example-values.ts';
import { closedObject, count, emailAddress, flag, nullable, text } from '../fields/schemas.ts';
import { newPassword } from './auth-schemas.ts';

export const mailedToken = Type.String({
  minLength: 1,
  maxLength: 256,
  description: 'The token of the mailed link, from its `token` query parameter.',
  expected: 'the token of a mailed link',
  example: 'f0Hq2vK9sXyLr7aWc3TnBz5UeMd1JgPo8QiVtYk4RhE',
});

export const verifyEmailBody = closedObject({ token: mailedToken });

export const forgotPasswordBody = closedObject({
  email: emailAddress('The e-mail address of the user.'),
});

export const resetPasswordBody = closedObject({
  token: mailedToken,
  new_password: newPassword,
});

export const verifiedSchema = Type.Object(
  {
    email: text("The verified address, which is the user's from now on.", customer.email),
    emailVerified: flag('Always true: the address is verified.', true),
    keysDeactivated: count('How many API keys of the account this has deactivated. They can be activated again.'),
  },
  { title: 'VerifiedEmail' },
);
export type Verified = typeof verifiedSchema.static;

export const resentSchema = Type.Object(
  {
    sentTo: nullable(
      text('The address that the link was sent to. Null if no address is waiting to be verified.', customer.email),
    ),
  },
  { title: 'ResentLink' },
);
export type Resent = typeof resentSchema.static;
