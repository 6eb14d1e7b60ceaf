/** What the documentation says about /api/auth. */
import { sessionSchema } from '../../auth/sessions/session.ts';
import { describe } from '../../docs/describe.ts';
import {
  loginBody,
  loginExample,
  refreshBody,
  refreshExample,
  registerBody,
  registerExample,
  sessionExample,
} from './auth-schemas.ts';

const tag = 'Authentication';
const session = { schema: sessionSchema, example: sessionExample };

export const registerDocs = describe({
  id: 'register',
  summary: 'Sign up',
  description:
    'Makes a user with an account of its own, logs him in, and mails him a link to prove his address. Until then the ' +
    'proxy refuses the API keys of the account with 403 `email_not_verified`. At most 100 sign-ups an hour from one ' +
    'client.',
  tag,
  security: 'none',
  body: { schema: registerBody, example: registerExample },
  answer: { status: 201, description: 'The user exists and is logged in.', ...session },
  errors: ['registration_closed', 'email_taken', 'too_many_attempts', 'overloaded'],
});

export const loginDocs = describe({
  id: 'login',
  summary: 'Log in',
  description:
    'After some wrong passwords for an account from one address there is a pause, and after each further one a longer one, ' +
    'up to a quarter of an hour. Guesses from elsewhere do not keep the owner out.',
  tag,
  security: 'none',
  body: { schema: loginBody, example: loginExample },
  answer: { status: 200, description: 'The user is logged in.', ...session },
  errors: ['invalid_credentials', 'account_blocked', 'too_many_attempts', 'overloaded'],
});

export const refreshDocs = describe({
  id: 'refresh',
  summary: 'Get new tokens',
  description:
    'Takes the refresh token from the body or the cookie. Each is good for one use; using one again ends the session.',
  tag,
  security: 'none',
  body: { schema: refreshBody, example: refreshExample, optional: true },
  answer: { status: 200, description: 'New tokens; the refresh token sent is used up.', ...session },
  errors: ['invalid_token'],
});

export const logoutDocs = describe({
  id: 'logout',
  summary: 'Log out',
  description:
    'Ends the session of the refresh token in the body or the cookie, or of the access token in the header: all tokens of ' +
    'that session are refused from now on. Also 204 where there is none.',
  tag,
  security: 'none',
  body: { schema: refreshBody, example: refreshExample, optional: true },
  answer: { status: 204, description: 'The session has ended and the cookie is gone.' },
});
