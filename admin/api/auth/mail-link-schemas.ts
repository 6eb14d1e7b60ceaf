/** The bodies of the endpoints around mailed links, with the examples that their documentation shows. */
import { Type } from '@sinclair/typebox';
import { closedObject, nullable } from '../fields/schemas.ts';
import { loginExample } from './auth-schemas.ts';

const token = Type.String({ minLength: 1, maxLength: 256, description: 'the token of a mailed link' });

export const verifyEmailBody = closedObject({ token });

export const forgotPasswordBody = closedObject({
  email: Type.String({ maxLength: 320, description: 'an e-mail address' }),
});

export const resetPasswordBody = closedObject({
  token,
  /** Checked by the rules for passwords, which explain more than a schema can. */
  new_password: Type.String({ description: 'a text of 12 to 256 characters' }),
});

export const verifiedSchema = Type.Object({
  email: Type.String(),
  emailVerified: Type.Boolean(),
  keysDeactivated: Type.Integer({ description: 'How many API keys of the account this has deactivated.' }),
});
export type Verified = typeof verifiedSchema.static;

export const resentSchema = Type.Object({
  sentTo: nullable(Type.String({ description: 'Where the link was sent; null where no address waits for a proof.' })),
});
export type Resent = typeof resentSchema.static;

const exampleToken = 'f0Hq2vK9sXyLr7aWc3TnBz5UeMd1JgPo8QiVtYk4RhE';
export const verifyEmailExample = { token: exampleToken } satisfies typeof verifyEmailBody.static;
export const forgotPasswordExample = { email: loginExample.email } satisfies typeof forgotPasswordBody.static;
export const resetPasswordExample = {
  token: exampleToken,
  new_password: 'seven-calm-herons-fish',
} satisfies typeof resetPasswordBody.static;
