/**
 * How this process authenticates to providers: with a key from a variable, an access token obtained with that key, or a
 * signature of each request; and the root certificate of providers that have their own. Tokens stay in memory; each
 * replica fetches its own.
 */
import { type Aws, keyVariablesOf, type PublishedProvider } from '../../../shared/catalogue/published-catalogue.ts';
import type { ProviderKey } from '../../../shared/config/secret-files.ts';
import type { Abortable } from '../../nouns/cancellation.ts';
import { UpstreamFailure } from '../../nouns/upstream-failure.ts';
import type { SignRequest } from '../adapter.ts';
import { awsSignature } from './aws-signature.ts';
import { fetchToken } from './fetch-token.ts';
import { RenewedToken } from './renewed-token.ts';
import { RootCertificates } from './root-certificates.ts';

export interface Access {
  /** Undefined if the provider needs none. */
  readonly apiKey: string | undefined;
  /** PEM; undefined to trust the default roots. */
  readonly ca: string | undefined;
  /** For providers whose requests are signed instead of having a key. */
  readonly sign?: SignRequest | undefined;
}

interface Settings {
  /** The secret in a variable that the catalogue names. */
  providerKey(variable: string): ProviderKey;
  now?(): number;
}

export class Credentials {
  readonly #settings: Settings;
  readonly #roots = new RootCertificates();
  /** By provider; `terms` are what the token was obtained with, which a new catalogue may change. */
  readonly #tokens = new Map<string, { terms: string; token: RenewedToken }>();

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /**
   * Throws UpstreamFailure if there is no key and none can be obtained. Returns a promise only if something has to be
   * read or fetched, until `request` is aborted.
   */
  accessTo(provider: PublishedProvider, request: Abortable): Access | Promise<Access> {
    const { apiKeyEnv, auth, caFile, aws } = provider;
    const key = apiKeyEnv === '' ? undefined : this.#secret(apiKeyEnv);
    const sign = aws === undefined ? undefined : this.#signatureOf(aws);
    if (auth === undefined && caFile === undefined) return { apiKey: key, ca: undefined, sign };
    return this.#findAccess(provider, { key, sign }, request);
  }

  /** Why the provider cannot be used, for operators; undefined if it has its key or needs none. */
  problemOf(provider: PublishedProvider): string | undefined {
    const found = keyVariablesOf(provider).map(([, variable]) => this.#settings.providerKey(variable));
    return found.flatMap((key) => (key.ok ? [] : [key.problem]))[0];
  }

  /** Called when the provider has refused this access. Returns whether a retry may get a valid one. */
  discard(provider: PublishedProvider, { apiKey }: Access): boolean {
    if (provider.auth === undefined || apiKey === undefined) return false;
    this.#tokens.get(provider.id)?.token.discard(apiKey);
    return true;
  }

  async #findAccess(
    { id, caFile, auth }: PublishedProvider,
    { key, sign }: { key: string | undefined; sign: SignRequest | undefined },
    request: Abortable,
  ): Promise<Access> {
    const ca = caFile === undefined ? undefined : await this.#roots.read(caFile);
    if (auth === undefined || key === undefined) return { apiKey: key, ca, sign };
    const token = this.#tokenOf(id, JSON.stringify([auth, key, ca]), (now) => fetchToken({ ...auth, key, ca }, now));
    return { apiKey: await token.value(request), ca };
  }

  #signatureOf({ region, accessKeyIdEnv, secretAccessKeyEnv, sessionTokenEnv }: Aws): SignRequest {
    const credentials = {
      accessKeyId: this.#secret(accessKeyIdEnv),
      secretAccessKey: this.#secret(secretAccessKeyEnv),
      ...(sessionTokenEnv === undefined ? {} : { sessionToken: this.#secret(sessionTokenEnv) }),
    };
    return awsSignature(credentials, { region, now: this.#settings.now });
  }

  #secret(variable: string): string {
    const found = this.#settings.providerKey(variable);
    if (found.ok) return found.key;
    // The same as a key that the provider does not know.
    const { problem } = found;
    throw new UpstreamFailure('refused', `The provider's key is not configured.`, { status: 401, problem });
  }

  #tokenOf(id: string, terms: string, fetch: ConstructorParameters<typeof RenewedToken>[0]): RenewedToken {
    const known = this.#tokens.get(id);
    if (known?.terms === terms) return known.token;
    const token = new RenewedToken(fetch, this.#settings.now ?? Date.now);
    this.#tokens.set(id, { terms, token });
    return token;
  }
}
