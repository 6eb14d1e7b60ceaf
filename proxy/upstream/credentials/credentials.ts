/**
 * With what this process shows itself to providers: the key that a variable holds, or an access token that was bought
 * with it, and the root certificate where a provider has one of its own. Tokens live in the process; each replica
 * fetches its own.
 */
import type { PublishedProvider } from '../../../shared/catalogue/published-catalogue.ts';
import type { ProviderKey } from '../../../shared/config/proxy.ts';
import type { Abortable } from '../../settlement/cancellation.ts';
import { UpstreamFailure } from '../upstream-failure.ts';
import { fetchToken } from './fetch-token.ts';
import { RenewedToken } from './renewed-token.ts';
import { RootCertificates } from './root-certificates.ts';

export interface Access {
  /** Undefined where the provider wants none. */
  readonly apiKey: string | undefined;
  /** PEM; undefined where the usual roots are trusted. */
  readonly ca: string | undefined;
}

interface Settings {
  /** The provider's key that a catalogue's `apiKeyEnv` names. */
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
    const key = this.#keyOf(provider);
    if (provider.auth === undefined && provider.caFile === undefined) return { apiKey: key, ca: undefined };
    return this.#findAccess(provider, key, request);
  }

  /** Why the provider cannot be asked at all, for operators; undefined where its key is there or it wants none. */
  problemOf({ apiKeyEnv }: PublishedProvider): string | undefined {
    const found = apiKeyEnv === '' ? undefined : this.#settings.providerKey(apiKeyEnv);
    return found?.ok === false ? found.problem : undefined;
  }

  /** The provider has refused this access. Returns whether another try may have a better one. */
  discard(provider: PublishedProvider, { apiKey }: Access): boolean {
    if (provider.auth === undefined || apiKey === undefined) return false;
    this.#tokens.get(provider.id)?.token.discard(apiKey);
    return true;
  }

  async #findAccess(
    { id, caFile, auth }: PublishedProvider,
    key: string | undefined,
    request: Abortable,
  ): Promise<Access> {
    const ca = caFile === undefined ? undefined : await this.#roots.read(caFile);
    if (auth === undefined || key === undefined) return { apiKey: key, ca };
    const token = this.#tokenOf(id, JSON.stringify([auth, key, ca]), (now) => fetchToken({ ...auth, key, ca }, now));
    return { apiKey: await token.value(request), ca };
  }

  #keyOf({ apiKeyEnv }: PublishedProvider): string | undefined {
    if (apiKeyEnv === '') return undefined;
    const found = this.#settings.providerKey(apiKeyEnv);
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
