/** What an organization requires its members to sign in with, and its identity provider, in requests and responses. */
import { Type } from '@sinclair/typebox';
import { signInRules } from '../../../auth/sign-in-rule.ts';
import { domainsMax, recordOf } from '../../../organizations/single-sign-on/domains.ts';
import type { SignInSettings } from '../../../organizations/single-sign-on/provider-settings.ts';
import { closedObject, nullable, oneOf, text, timestamp } from '../../fields/schemas.ts';

const example = { issuer: 'https://login.example.com', clientId: 'model-gateway', domain: 'example.com' };
const textMaxLength = 1_000;

const requireField = oneOf(
  signInRules,
  'Nothing; a second factor, or signing in with the identity provider; or only the identity provider, except for owners with a ' +
    'second factor.',
  'second_factor',
);

const issuerField = Type.String({
  minLength: 1,
  maxLength: textMaxLength,
  pattern: '^https?://[^\\s?#]+$',
  description: 'The address of the provider, from whose `/.well-known/openid-configuration` everything else follows.',
  expected: 'an https address',
  example: example.issuer,
});

const clientIdField = Type.String({
  minLength: 1,
  maxLength: textMaxLength,
  description: 'What the provider calls this gateway.',
  expected: `a string of 1 to ${textMaxLength} characters`,
  example: example.clientId,
});

export const signInBody = closedObject({ require: requireField });

export const providerBody = closedObject({
  issuer: issuerField,
  clientId: clientIdField,
  clientSecret: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: textMaxLength,
      description:
        'What the gateway proves itself to the provider with. It is stored encrypted. Without it, that of the same `issuer` and ' +
        '`clientId` stays; another one of these needs a secret.',
      expected: `a string of 1 to ${textMaxLength} characters`,
      example: 'c2VjcmV0LW9mLXRoZS1jbGllbnQ',
    }),
  ),
  domains: Type.Array(
    Type.String({
      maxLength: 253,
      description: 'A domain.',
      expected: 'a domain such as example.com',
      example: example.domain,
    }),
    {
      maxItems: domainsMax,
      description: 'The domains of the addresses that the provider vouches for. Each counts once it is proven.',
      expected: `a list of at most ${domainsMax} domains`,
    },
  ),
});

export const domainParams = Type.Object({
  domain: Type.String({
    maxLength: 253,
    description: 'A domain that the organization has entered, proven or not.',
    expected: 'one of the domains',
    example: example.domain,
  }),
});

export const signInSchema = Type.Object(
  {
    require: requireField,
    oidc: nullable(
      Type.Object(
        {
          issuer: text('The address of the provider.', example.issuer),
          clientId: text('What the provider calls this gateway.', example.clientId),
          testedAt: nullable(timestamp('When someone last signed in to test these settings; null if no one has.')),
        },
        { description: 'The identity provider; null without one.' },
      ),
    ),
    redirectUri: text('What to register with the provider.', 'https://gateway.example.com/api/auth/oidc/callback'),
    domains: Type.Array(
      Type.Object({
        domain: text('What addresses of its people end with, after the @.', example.domain),
        record: text(
          'The TXT record that proves it.',
          'model-gateway-verification=Yk3v8mCw0bDq5nT7xLr2sHf9pJg4aZe6uQiVoKtNyXE',
        ),
        provenAt: nullable(timestamp('When the record was seen; null if it was not.')),
      }),
      { description: 'In the order of the alphabet.' },
    ),
  },
  { title: 'SignIn' },
);

export const testSchema = Type.Object(
  {
    url: text(
      'Where to send the browser.',
      'https://login.example.com/auth?client_id=model-gateway&response_type=code',
    ),
  },
  { title: 'SignInAddress' },
);

export function renderSignIn(settings: SignInSettings, redirectUri: string): typeof signInSchema.static {
  const { rule, provider, domains } = settings;
  return {
    require: rule,
    oidc: provider && {
      issuer: provider.issuer,
      clientId: provider.clientId,
      testedAt: provider.testedAt?.toISOString() ?? null,
    },
    redirectUri,
    domains: domains.map((domain) => ({
      domain: domain.domain,
      record: recordOf(domain),
      provenAt: domain.provenAt?.toISOString() ?? null,
    })),
  };
}
