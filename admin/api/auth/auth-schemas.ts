/** The bodies of the authentication endpoints, with the examples that their documentation shows. */
import { Type } from '@sinclair/typebox';
import { passwordMaxLength, passwordMinLength } from '../../auth/passwords/password-rules.ts';
import type { Session } from '../../auth/sessions/session.ts';
import { closedObject, label } from '../fields/schemas.ts';

const email = Type.String({ maxLength: 320, description: 'an e-mail address' });
const displayNameMaxLength = 100;

export const registerBody = closedObject({
  email,
  /** Checked by the rules for passwords, which explain more than a schema can. */
  password: Type.String({ description: `a text of ${passwordMinLength} to ${passwordMaxLength} characters` }),
  displayName: Type.Optional(label(displayNameMaxLength)),
});

export const loginBody = closedObject({
  email,
  password: Type.String({
    maxLength: passwordMaxLength,
    description: `a text of at most ${passwordMaxLength} characters`,
  }),
});

export const refreshBody = closedObject({
  refreshToken: Type.Optional(
    Type.String({ maxLength: 256, description: 'a refresh token; without it the cookie is used' }),
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
