/** The bodies of the authentication endpoints, with the examples in their documentation. */
import { Type } from '@sinclair/typebox';
import { passwordMaxLength, passwordMinLength } from '../../auth/passwords/password-rules.ts';
import { checkedBy } from '../fields/checked-by.ts';
import { closedObject, emailAddress, label } from '../fields/schemas.ts';
import type { Session } from './session.ts';

const displayNameMaxLength = 100;

/** Checked by the password rules, whose messages are more specific than a schema's. */
export const newPassword = checkedBy<string>(
  {
    type: 'string',
    minLength: passwordMinLength,
    maxLength: passwordMaxLength,
    description:
      `A password of ${passwordMinLength} to ${passwordMaxLength} characters. Common passwords and the e-mail address ` +
      'itself are refused; there are no rules about kinds of characters.',
    expected: `a string of ${passwordMinLength} to ${passwordMaxLength} characters`,
  },
  (value) => typeof value === 'string',
);

export const registerBody = closedObject({
  email: emailAddress('The address to log in with. A link to verify it is mailed to it.'),
  password: newPassword,
  displayName: Type.Optional(label(displayNameMaxLength, "The user's name as the dashboard shows it.")),
});

export const loginBody = closedObject({
  email: emailAddress('The address that the user signed up with, or changed to since. Case does not matter.'),
  password: Type.String({
    maxLength: passwordMaxLength,
    description: "The user's password.",
    expected: `a string of at most ${passwordMaxLength} characters`,
  }),
});

export const refreshBody = closedObject({
  refreshToken: Type.Optional(
    Type.String({
      maxLength: 256,
      description: 'The refresh token of the last log-in or refresh. Without it, the cookie `gateway_refresh` is read.',
      expected: 'a refresh token; without it the cookie is used',
    }),
  ),
});

export const registerExample = {
  email: 'anna@example.com',
  password: 'three-quiet-otters-sing',
  displayName: 'Anna',
} satisfies typeof registerBody.static;

export const loginExample = {
  email: registerExample.email,
  password: registerExample.password,
} satisfies typeof loginBody.static;

export const refreshExample = {
  refreshToken: 'R3Zk0qv1uVnq2b8m3T5yXo7p9sDfGhJkLzXcVbNmQwE',
} satisfies typeof refreshBody.static;

export const sessionExample: Session = {
  accessToken: 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiI0MiJ9.c2lnbmF0dXJl',
  tokenType: 'Bearer',
  expiresIn: 900,
  refreshToken: refreshExample.refreshToken,
  user: { id: 42, email: registerExample.email, displayName: 'Anna', role: 'customer' },
};
