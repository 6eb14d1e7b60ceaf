/** The documentation of sign-ins with an identity provider. */
import { signInsRefusal } from '../../auth/throttle/request-throttle.ts';
import { tooManyAttempts } from '../../auth/throttle/throttle.ts';
import { crossOrigin } from '../../http/request/same-origin.ts';
import { providerUnavailable } from '../../organizations/single-sign-on/identity-provider.ts';
import { noSingleSignOn, signInMinutes } from '../../organizations/single-sign-on/sign-in.ts';
import { describe } from '../docs/describe.ts';
import { testSchema } from '../organizations/sign-in/sign-in-schemas.ts';
import { beginSignInBody } from './single-sign-on-schemas.ts';

const tag = 'Authentication';

export const beginSignInDocs = describe({
  id: 'beginSingleSignOn',
  summary: 'Begin single sign-on',
  description:
    'Returns where to send the browser, in which a cookie is set: the identity provider of the organization that has proven the domain ' +
    `of the address. The browser has to come back within ${signInMinutes} minutes.`,
  tag,
  permission: 'public',
  body: { schema: beginSignInBody },
  response: { description: 'Where to send the browser.', schema: testSchema },
  errors: [
    crossOrigin(),
    noSingleSignOn(),
    tooManyAttempts(signInsRefusal, 60_000),
    providerUnavailable(new Error('getaddrinfo ENOTFOUND login.example.com')),
  ],
});

export const callbackDocs = describe({
  id: 'finishSingleSignOn',
  summary: 'Finish single sign-on',
  description:
    'Where identity providers send browsers back to. It sets the cookie of a session and sends the browser to the dashboard, or to its ' +
    'log-in page with the code of what went wrong in `error`. The session is only for the organization of the provider.',
  tag,
  permission: 'public',
  anyQuery: true,
  response: { status: 303, description: 'To the dashboard.' },
});
