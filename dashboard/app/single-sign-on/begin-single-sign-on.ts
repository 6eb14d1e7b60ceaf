/** Sends the browser to the identity provider of the organization that has proven the domain of an address, and leads it back. */
import { call, publicApi } from '../api/api.ts';
import { session } from '../session/session.ts';
import { readTabSetting, writeTabSetting } from '../settings.ts';

/** The setting of a tab that says which page it left for an identity provider. */
const pageKey = 'gateway.page-after-sign-in';

/** `back`: a page. The present session ends, if there is one. Throws ApiError, and nothing has changed then. */
export async function beginSingleSignOn(email: string, back: string | undefined): Promise<void> {
  const { url } = await call(publicApi.POST('/api/auth/oidc', { body: { email } }));
  writeTabSetting(pageKey, back);
  await session.leaveFor(url);
}

/** The page to which this tab, back from an identity provider, is to go; once. */
export function takePageAfterSignIn(): string | undefined {
  const page = readTabSetting(pageKey);
  writeTabSetting(pageKey, undefined);
  return page;
}
