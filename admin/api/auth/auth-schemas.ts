/** The bodies of the authentication endpoints. */
import { Type } from '@sinclair/typebox';
import { passwordMaxLength, passwordMinLength } from '../../auth/passwords/password-rules.ts';
import { checkedBy } from '../fields/checked-by.ts';
import { customer, refreshToken } from '../fields/example-values.ts';
import { closedObject, emailAddress, label } from '../fields/schemas.ts';

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
    example: customer.newPassword,
  },
  (value) => typeof value === 'string',
);

export const registerBody = closedObject({
  email: emailAddress('The address to log in with. A link to verify it is mailed to it.'),
  password: { ...newPassword, example: customer.password },
  displayName: Type.Optional(label(displayNameMaxLength, "The user's name as the dashboard shows it.", customer.name)),
});

export const loginBody = closedObject({
  email: emailAddress('The address that the user signed up with, or changed to since. Case does not matter.'),
  password: Type.String({
    maxLength: passwordMaxLength,
    description: "The user's password.",
    expected: `a string of at most ${passwordMaxLength} characters`,
    example: customer.password,
  }),
});

export const refreshBody = closedObject({
  refreshToken: Type.Optional(
    Type.String({
      maxLength: 256,
      description: 'The refresh token of the last log-in or refresh. Without it, the cookie `gateway_refresh` is read.',
      expected: 'a refresh token; without it the cookie is used',
      example: refreshToken,
    }),
  ),
});
