/** The bodies of the endpoints for mailed links, with the examples in their documentation. */
import { Type } from '@sinclair/typebox';
import { closedObject, count, emailAddress, flag, nullable, text } from '../fields/schemas.ts';
import { loginExample, newPassword } from './auth-schemas.ts';

const token = Type.String({
  minLength: 1,
  maxLength: 256,
  description: 'The token of the mailed link, from its `token` query parameter.',
  expected: 'the token of a mailed link',
});

export const verifyEmailBody = closedObject({ token });

export const forgotPasswordBody = closedObject({
  email: emailAddress('The e-mail address of the user.'),
});

export const resetPasswordBody = closedObject({
  token,
  new_password: newPassword,
});

export const verifiedSchema = Type.Object(
  {
    email: text("The verified address, which is the user's from now on."),
    emailVerified: flag('Always true: the address is verified.'),
    keysDeactivated: count('How many API keys of the account this has deactivated. They can be activated again.'),
  },
  { title: 'VerifiedEmail' },
);
export type Verified = typeof verifiedSchema.static;

export const resentSchema = Type.Object(
  {
    sentTo: nullable(text('The address that the link was sent to. Null if no address is waiting to be verified.')),
  },
  { title: 'ResentLink' },
);
export type Resent = typeof resentSchema.static;

const exampleToken = 'f0Hq2vK9sXyLr7aWc3TnBz5UeMd1JgPo8QiVtYk4RhE';
export const verifyEmailExample = { token: exampleToken } satisfies typeof verifyEmailBody.static;
export const forgotPasswordExample = { email: loginExample.email } satisfies typeof forgotPasswordBody.static;
export const resetPasswordExample = {
  token: exampleToken,
  new_password: 'seven-calm-herons-fish',
} satisfies typeof resetPasswordBody.static;
