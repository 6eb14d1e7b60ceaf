/** Sends the browser to the identity provider of the organization that has proven the domain of an address. */
import { call, publicApi } from '../api/api.ts';
import { session } from '../session/session.ts';

/** The present session ends, if there is one. Throws ApiError, and nothing has changed then. */
export async function beginSingleSignOn(email: string): Promise<void> {
  const { url } = await call(publicApi.POST('/api/auth/oidc', { body: { email } }));
  await session.leaveFor(url);
}
