/** The documentation of sign-in rules and identity providers. */
import { secondFactorMissing } from '../../../auth/second-factor/factors.ts';
import { signInsRefusal } from '../../../auth/throttle/request-throttle.ts';
import { tooManyAttempts } from '../../../auth/throttle/throttle.ts';
import { domainNotFound, domainTaken, domainUnproven } from '../../../organizations/single-sign-on/domains.ts';
import { providerUnavailable } from '../../../organizations/single-sign-on/identity-provider.ts';
import { noProvider, secretMissing } from '../../../organizations/single-sign-on/provider-settings.ts';
import { providerUntested } from '../../../organizations/single-sign-on/require-sign-in.ts';
import { describe } from '../../docs/describe.ts';
import { domainParams, providerBody, signInBody, signInSchema, testSchema } from './sign-in-schemas.ts';

const common = { tag: 'Organization', permission: 'organization:manage' } as const;
const response = { description: 'The settings.', schema: signInSchema };
const unavailable = providerUnavailable(new Error('getaddrinfo ENOTFOUND login.example.com'));
const tooManySignIns = tooManyAttempts(signInsRefusal, 60_000);
const record = 'model-gateway-verification=Yk3v8mCw0bDq5nT7xLr2sHf9pJg4aZe6uQiVoKtNyXE';

export const getSignInDocs = describe({
  ...common,
  id: 'getSignIn',
  summary: 'Get how members sign in',
  description:
    'What the organization requires, its identity provider, and its domains with the DNS records that prove them.',
  response,
});

export const changeSignInDocs = describe({
  ...common,
  id: 'changeSignIn',
  summary: 'Change what members must sign in with',
  description:
    'Holds from the next request on, in every session. Members who have signed in some other way get 403 `sign_in_rule` for everything but ' +
    'their own profile, where they can set up what is missing; their API keys keep working. An owner with a second factor always gets in.',
  body: { schema: signInBody },
  response,
  errors: [secondFactorMissing(), providerUntested()],
});

export const changeProviderDocs = describe({
  ...common,
  id: 'changeIdentityProvider',
  summary: 'Set up single sign-on',
  description:
    'With OpenID Connect: code flow, PKCE, and a client secret. The configuration of the provider is read at once. People whose ' +
    'addresses the provider has verified can then sign in, as soon as the domain is proven; someone new joins as a `member`, or ' +
    'with the role of their invitation.',
  body: { schema: providerBody },
  response,
  errors: [secretMissing(), unavailable, tooManySignIns],
});

export const removeProviderDocs = describe({
  ...common,
  id: 'removeIdentityProvider',
  summary: 'Remove single sign-on',
  description:
    'Members stay, and log in with their passwords, which those who never had one reset. If it was required, nothing is any more.',
  response: { status: 204, description: 'The provider and the domains are removed.' },
  errors: [noProvider()],
});

export const testProviderDocs = describe({
  ...common,
  id: 'testIdentityProvider',
  summary: 'Test single sign-on',
  description:
    'Returns where to send the browser, in which a cookie is set. It comes back to the dashboard, and `testedAt` is set if the provider ' +
    'has signed someone in. Needed before the provider can be required.',
  response: { description: 'Where to send the browser.', schema: testSchema },
  errors: [noProvider(), unavailable, tooManySignIns],
});

export const proveDomainDocs = describe({
  ...common,
  id: 'proveDomain',
  summary: 'Prove a domain',
  description: 'Asks DNS for the TXT record of the domain.',
  params: domainParams,
  response,
  errors: [
    domainNotFound('example.com'),
    domainUnproven('example.com', record),
    domainTaken('example.com'),
    tooManySignIns,
  ],
});
