/**
 * With what this process shows itself to providers: the key that a variable holds, an access token that was bought with
 * it, or a signature of each request, and the root certificate where a provider has one of its own. Tokens live in the
 * process; each replica fetches its own.
 */
import { type Aws, keyVariablesOf, type PublishedProvider } from '../../../shared/catalogue/published-catalogue.ts';
import type { ProviderKey } from '../../../shared/config/key-files.ts';
import type { SignRequest } from '../../providers/adapter.ts';
import type { Abortable } from '../../settlement/cancellation.ts';
import { UpstreamFailure } from '../upstream-failure.ts';
import { awsSignature } from './aws-signature.ts';
import { fetchToken } from './fetch-token.ts';
import { RenewedToken } from './renewed-token.ts';
import { RootCertificates } from './root-certificates.ts';

export interface Access {
  /** Undefined where the provider wants none. */
  readonly apiKey: string | undefined;
  /** PEM; undefined where the usual roots are trusted. */
  readonly ca: string | undefined;
  /** Where requests are signed instead of carrying a key. */
  readonly sign?: SignRequest | undefined;
}

interface Settings {
  /** The secret that a variable holds which a catalogue names. */
  providerKey(variable: string): ProviderKey;
  now?(): number;
}

export class Credentials {
  readonly #settings: Settings;
  readonly #roots = new RootCertificates();
  /** By provider; `terms` are what the token was bought with, which a new catalogue may change. */
  readonly #tokens = new Map<string, { terms: string; token: RenewedToken }>();

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /**
   * Throws UpstreamFailure where there is no key, or none to be had. A promise only where something has to be read or
   * fetched for it, which is waited for no longer than `request` lets it.
   */
  accessTo(provider: PublishedProvider, request: Abortable): Access | Promise<Access> {
    const { apiKeyEnv, auth, caFile, aws } = provider;
    const key = apiKeyEnv === '' ? undefined : this.#secret(apiKeyEnv);
    const sign = aws === undefined ? undefined : this.#signatureOf(aws);
    if (auth === undefined && caFile === undefined) return { apiKey: key, ca: undefined, sign };
    return this.#findAccess(provider, { key, sign }, request);
  }

  /** Why the provider cannot be asked at all, for operators; undefined where its key is there or it wants none. */
  problemOf(provider: PublishedProvider): string | undefined {
    const found = keyVariablesOf(provider).map(([, variable]) => this.#settings.providerKey(variable));
    return found.flatMap((key) => (key.ok ? [] : [key.problem]))[0];
  }

  /** The provider has refused this access. Returns whether another try may have a better one. */
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
    // As good as a key that the provider does not know.
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
