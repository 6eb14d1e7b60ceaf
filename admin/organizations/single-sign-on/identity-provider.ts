/** Talks to the identity provider of an organization by OpenID Connect, with openid-client: discovery, code flow, PKCE. */
import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  calculatePKCECodeChallenge,
  clockTolerance,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
} from 'openid-client';
import { GatewayError } from '../../../shared/errors.ts';
import { fetchTimeoutMs, type IssuerReach, publicFetch } from './public-fetch.ts';

export interface ProviderSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** What a sign-in is bound to while it is at the provider. */
export interface Pending {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
  readonly redirectUri: string;
}

/** Whom the provider has signed in. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | undefined;
  readonly isEmailVerified: boolean;
  readonly name: string | undefined;
}

/** Clocks differ. */
const clockToleranceSeconds = 60;
const scope = 'openid email profile';

/** Throws GatewayError `identity_provider_unavailable` if its configuration cannot be read, or is of another issuer. */
export async function connectProvider(reach: IssuerReach, settings: ProviderSettings): Promise<Configuration> {
  const { issuer, clientId, clientSecret } = settings;
  const fetcher = publicFetch(reach) as NonNullable<Configuration[typeof customFetch]>;
  const insecurely = reach.oidcIssuers === 'any' ? [allowInsecureRequests] : [];
  const metadata = { client_secret: clientSecret, [clockTolerance]: clockToleranceSeconds };
  try {
    const found = await discovery(new URL(issuer), clientId, metadata, undefined, {
      execute: insecurely,
      timeout: fetchTimeoutMs / 1_000,
      [customFetch]: fetcher,
    });
    const server = found.serverMetadata();
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const authentication = methods.includes('client_secret_basic') ? ClientSecretBasic : ClientSecretPost;
    const configuration = new Configuration(server, clientId, metadata, authentication(clientSecret));
    configuration.timeout = fetchTimeoutMs / 1_000;
    configuration[customFetch] = fetcher;
    for (const allow of insecurely) allow(configuration);
    // The signature of an ID token is verified with the provider's current keys, although it came over TLS.
    enableNonRepudiationChecks(configuration);
    return configuration;
  } catch (cause) {
    throw providerUnavailable(cause);
  }
}

/** Where the browser signs in. */
export async function authorizationUrl(provider: Configuration, pending: Pending): Promise<string> {
  const { state, nonce, codeVerifier, redirectUri } = pending;
  const url = buildAuthorizationUrl(provider, {
    ...{ scope, state, nonce, redirect_uri: redirectUri },
    code_challenge: await calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
  });
  return url.href;
}

/**
 * `query` is what the provider has sent the browser back with. State, nonce, issuer, audience, signature and times are checked.
 * Throws GatewayError `sign_in_failed` or `identity_provider_unavailable`.
 */
export async function readIdentity(provider: Configuration, pending: Pending, query: string): Promise<Identity> {
  const { state, nonce, codeVerifier, redirectUri } = pending;
  const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: codeVerifier, idTokenExpected: true };
  try {
    const tokens = await authorizationCodeGrant(provider, new URL(`${redirectUri}${query}`), checks);
    const claims = tokens.claims();
    if (claims === undefined) throw new Error('there is no ID token');
    const { iss: issuer, sub: subject } = claims;
    const known = claims.email === undefined ? await fetchUserInfo(provider, tokens.access_token, subject) : claims;
    const { email, email_verified: isVerified, name } = known;
    return {
      issuer,
      subject,
      email: typeof email === 'string' ? email : undefined,
      isEmailVerified: isVerified === true,
      name: typeof name === 'string' ? name : undefined,
    };
  } catch (cause) {
    throw cause instanceof AuthorizationResponseError
      ? signInFailed('refused', `The identity provider refused to sign you in: ${cause.error}.`, cause)
      : signInFailed('invalid', 'The answer of the identity provider is invalid.', cause);
  }
}

/** What the log-in page explains. */
export type SignInFailure =
  | 'begin_again'
  | 'refused'
  | 'invalid'
  | 'unverified'
  | 'foreign_domain'
  | 'removed'
  | 'deleted';

export const signInFailed = (reason: SignInFailure, message: string, cause?: unknown) =>
  new GatewayError('sign_in_failed', message, { cause, details: { reason } });

export const providerUnavailable = (cause?: unknown) =>
  new GatewayError('identity_provider_unavailable', `The identity provider cannot be reached: ${reasonOf(cause)}.`, {
    param: 'issuer',
    cause,
  });

/** What went wrong at the bottom, in words that name no internals. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'it did not answer';
  return cause.cause instanceof Error ? reasonOf(cause.cause) : cause.message;
}
