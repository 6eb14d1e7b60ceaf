/** The documentation of /api/auth. */
import { emailTaken } from '../../auth/create-user.ts';
import { wrongCredentials } from '../../auth/log-in.ts';
import { tooManyPasswords } from '../../auth/passwords/password-hasher.ts';
import { secondFactorRequired } from '../../auth/second-factor/log-in-with-factor.ts';
import { badRefreshToken, reuseGraceSeconds } from '../../auth/sessions/refresh-tokens.ts';
import { signUpClosed } from '../../auth/sign-up.ts';
import { guessesRefusal } from '../../auth/throttle/login-throttle.ts';
import {
  refreshesDayMax,
  refreshesMax,
  refreshesRefusal,
  signUpsRefusal,
  takenAddressMax,
} from '../../auth/throttle/request-throttle.ts';
import { tooManyAttempts } from '../../auth/throttle/throttle.ts';
import { accountBlocked } from '../../database/rows/account-state.ts';
import { crossOrigin } from '../../http/request/same-origin.ts';
import { describe } from '../docs/describe.ts';
import { loginBody, refreshBody, registerBody } from './auth-schemas.ts';
import { sessionSchema } from './session.ts';

const tag = 'Authentication';
/** In the examples of `retry-after`. */
const waitMs = 60_000;

export const registerDocs = describe({
  id: 'register',
  summary: 'Sign up',
  description:
    'Creates a user with an account of its own, logs them in, and mails them a link to verify their address. Until they ' +
    'follow it, the proxy refuses the API keys of the account with 403 `email_not_verified`, nothing can be ordered, and ' +
    'no other mail is sent. If the address already has an account, its owner is notified. At most 100 sign-ups an hour from one ' +
    `client address, of which ${takenAddressMax} with an address that has an account; 5 an hour and 10 a day for one mailbox, ` +
    'regardless of what follows a `+` in its name.',
  tag,
  permission: 'public',
  body: { schema: registerBody },
  response: { status: 201, description: 'The user was created and is logged in.', schema: sessionSchema },
  errors: [crossOrigin(), signUpClosed(), emailTaken(), tooManyAttempts(signUpsRefusal, waitMs), tooManyPasswords()],
});

export const loginDocs = describe({
  id: 'login',
  summary: 'Log in',
  description:
    'Starts a session. Several wrong passwords for an account from one client address start a pause, which ' +
    'grows with each further one up to a quarter of an hour. Guesses from other addresses do not lock the owner out.\n\n' +
    'Users with a second factor get 401 `second_factor_required` instead, with `details.challenge`, `details.expiresAt`, and in ' +
    '`details.methods` what they can answer it with: `app`, `passkey`, `recovery_code`.',
  tag,
  permission: 'public',
  body: { schema: loginBody },
  response: { description: 'The user is logged in.', schema: sessionSchema },
  errors: [
    crossOrigin(),
    wrongCredentials(),
    secondFactorRequired(
      { challenge: 'Yk3v8mCw0bDq5nT7xLr2sHf9pJg4aZe6uQiVoKtNyXE', expiresAt: new Date('2030-01-01T00:05:00Z') },
      ['app', 'recovery_code'],
    ),
    accountBlocked(),
    tooManyAttempts(guessesRefusal, waitMs),
    tooManyPasswords(),
  ],
});

export const refreshDocs = describe({
  id: 'refresh',
  summary: 'Get new tokens',
  description:
    'Exchanges a refresh token, from the body or the cookie, for a new pair of tokens. Call it before the access token ' +
    'expires. A refresh token works once: using it again ends the session, because it may have been stolen. Only within ' +
    `${reuseGraceSeconds} seconds it gets the same new refresh token again, so that two tabs of a browser do not log each other ` +
    `out. At most ${refreshesMax} times in ten minutes and ${refreshesDayMax} times a day for one user.`,
  tag,
  permission: 'public',
  body: { schema: refreshBody, optional: true },
  response: { description: 'New tokens. The refresh token that was sent is used up.', schema: sessionSchema },
  errors: [crossOrigin(), badRefreshToken(), tooManyAttempts(refreshesRefusal, waitMs)],
});

export const logoutDocs = describe({
  id: 'logout',
  summary: 'Log out',
  description:
    'Ends the session of the refresh token in the body or the cookie, or of the access token in the header: all tokens ' +
    'of that session are refused from now on, and the key of its playground is deleted. The response is 204 even if there is no such session.',
  tag,
  permission: 'public',
  body: { schema: refreshBody, optional: true },
  response: { status: 204, description: 'The session has ended and the cookie is cleared.' },
  errors: [crossOrigin()],
});
