/** What members sign in with, the identity provider, and the domains whose addresses it vouches for. */
import { queryOptions } from '@tanstack/react-query';
import { type ApiResponse, api, call } from '../../app/api/api.ts';
import type { paths } from '../../generated/api.ts';

export type SignIn = ApiResponse<'/api/organization/sign-in'>;
export type IdentityProvider = NonNullable<SignIn['oidc']>;
export type Domain = SignIn['domains'][number];
export type ProviderChange = NonNullable<
  paths['/api/organization/sign-in/oidc']['put']['requestBody']
>['content']['application/json'];

export const signInQuery = queryOptions({
  queryKey: ['sign-in'],
  queryFn: () => call(api.GET('/api/organization/sign-in')),
});

export const requireSignIn = (rule: SignIn['require']) =>
  call(api.PUT('/api/organization/sign-in', { body: { require: rule } }));

export const changeProvider = (body: ProviderChange) => call(api.PUT('/api/organization/sign-in/oidc', { body }));

export const removeProvider = () => call(api.DELETE('/api/organization/sign-in/oidc'));

/** Where to send the browser. */
export const testProvider = () => call(api.POST('/api/auth/oidc/test'));

export const proveDomain = (domain: string) =>
  call(api.POST('/api/organization/sign-in/domains/{domain}/prove', { params: { path: { domain } } }));
