/**
 * A real identity provider on loopback (oidc-provider), whose people sign in without a page: the next sign-in is that of `person`. Its
 * answers can be tampered with on their way.
 */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import Provider, { type Configuration, type JWK } from 'oidc-provider';

export interface ProviderPerson {
  readonly sub: string;
  readonly email?: string | undefined;
  readonly email_verified?: boolean | undefined;
  readonly name?: string;
}

/** Changes the JSON of an answer: of `/token`, `/jwks`, `/.well-known/openid-configuration` … */
export type Tampering = (path: string, answer: Record<string, unknown>) => Record<string, unknown>;

export const client = { id: 'model-gateway', secret: 'the-secret-of-the-client-of-this-gateway' };

export class IdentityProvider {
  readonly issuer: string;
  person: ProviderPerson = { sub: 'nobody' };
  tampering: Tampering | undefined;
  /** Whether people decline. */
  declines = false;
  readonly #server: Server;
  #provider: Provider;
  #key: Key;
  readonly #redirectUri: string;

  private constructor(server: Server, issuer: string, redirectUri: string) {
    this.#server = server;
    this.issuer = issuer;
    this.#redirectUri = redirectUri;
    this.#key = newKey();
    this.#provider = this.#make();
  }

  static async start(redirectUri: string): Promise<IdentityProvider> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const provider = new IdentityProvider(server, `http://127.0.0.1:${port}`, redirectUri);
    server.on('request', (request, response) => void provider.#handle(request, response));
    return provider;
  }

  /** From now on its tokens are signed with another key. */
  changeKey(): void {
    this.#key = newKey();
    this.#provider = this.#make();
  }

  /** The same ID token with other claims, signed by the provider as any of its own. */
  withClaims(idToken: unknown, change: (claims: Record<string, unknown>) => object): string {
    const [head = '', payload = ''] = String(idToken).split('.');
    const claims = change(JSON.parse(Buffer.from(payload, 'base64url').toString()));
    const signed = `${head}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
    return `${signed}.${sign('sha256', Buffer.from(signed), this.#key.privateKey).toString('base64url')}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #make(): Provider {
    const configuration: Configuration = {
      jwks: { keys: [this.#key.jwk as never] },
      clients: [
        {
          client_id: client.id,
          client_secret: client.secret,
          redirect_uris: [this.#redirectUri],
          grant_types: ['authorization_code'],
          response_types: ['code'],
        },
      ],
      pkce: { required: () => true },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
      findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ ...this.person, sub }) }),
      loadExistingGrant: async (context) => {
        const grant = new context.oidc.provider.Grant({
          accountId: context.oidc.session?.accountId,
          clientId: context.oidc.client?.clientId,
        });
        grant.addOIDCScope('openid email profile');
        await grant.save();
        return grant;
      },
      cookies: { keys: ['a-key-of-the-cookies-of-this-provider'] },
    };
    return new Provider(this.issuer, configuration);
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '', this.issuer).pathname;
    if (path.startsWith('/interaction/')) {
      const result = this.declines
        ? { error: 'access_denied', error_description: 'declined' }
        : { login: { accountId: this.person.sub, remember: false } };
      await this.#provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
      return;
    }
    if (this.tampering !== undefined) this.#tamper(path, response, this.tampering);
    await this.#provider.callback()(request, response);
  }

  #tamper(path: string, response: ServerResponse, tampering: Tampering): void {
    const end = response.end.bind(response);
    response.end = ((body: unknown, ...rest: unknown[]) => {
      const text = typeof body === 'string' || Buffer.isBuffer(body) ? body.toString() : '';
      if (!text.startsWith('{')) return end(body as never, ...(rest as []));
      const changed = JSON.stringify(tampering(path, JSON.parse(text)));
      if (!response.headersSent) response.setHeader('content-length', Buffer.byteLength(changed));
      return end(changed);
    }) as never;
  }
}

interface Key {
  readonly privateKey: KeyObject;
  readonly jwk: JWK;
}

function newKey(): Key {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const jwk = { ...privateKey.export({ format: 'jwk' }), kid: crypto.randomUUID(), use: 'sig', alg: 'RS256' };
  return { privateKey, jwk };
}
