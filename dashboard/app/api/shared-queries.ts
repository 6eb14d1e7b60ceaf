/** What several areas ask the API for: the user's profile and organizations, the gateway's public settings, and the price list. */
import { queryOptions } from '@tanstack/react-query';
import { session } from '../session/session.ts';
import { type ApiResponse, api, call, publicApi } from './api.ts';

export type Profile = ApiResponse<'/api/profile'>;

/** The profile of the user. */
export const profileQuery = queryOptions({
  queryKey: ['profile'],
  queryFn: async () => {
    const profile = await call(api.GET('/api/profile'));
    // It may have changed elsewhere, such as by a mailed link.
    session.rename(profile);
    return profile;
  },
});

export type ListedOrganization = ApiResponse<'/api/organizations'>['organizations'][number];

/** The organizations of the user. */
export const organizationsQuery = queryOptions({
  queryKey: ['organizations'],
  queryFn: async () => (await call(api.GET('/api/organizations'))).organizations,
});

/** Never resolves: the page is loaded again in the other organization. Throws ApiError. */
export function switchTo(organizationId: number): Promise<never> {
  return session.enter((headers) => call(publicApi.POST('/api/auth/switch', { body: { organizationId }, headers })));
}

/** The gateway's public settings. */
export const siteQuery = queryOptions({
  queryKey: ['site'],
  queryFn: () => call(publicApi.GET('/api/site')),
  staleTime: 300_000,
});

/** The price list. */
export const priceListQuery = queryOptions({
  queryKey: ['models'],
  queryFn: () => call(api.GET('/api/models')),
});
