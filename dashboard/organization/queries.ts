/** What the page of the organization asks for, and what it changes: its settings, members and invitations. */
import { queryOptions } from '@tanstack/react-query';
import { type ApiResponse, api, call } from '../app/api/api.ts';
import type { Role } from '../app/session/place.ts';
import { session } from '../app/session/session.ts';
import type { paths } from '../generated/api.ts';

/** The tabs of the page, as its address names them. */
export const organizationTabs = ['members', 'projects', 'budgets', 'sign-in', 'settings', 'audit'] as const;
export type OrganizationTab = (typeof organizationTabs)[number];

/** In the order in which they are offered. */
export const roles = ['owner', 'admin', 'finance', 'member', 'auditor'] as const satisfies readonly Role[];

export type Organization = ApiResponse<'/api/organization'>;
export type AllowList = ApiResponse<'/api/organization/ip-allow-list'>;
/** Of the organization, or of a key. */
export type DataPolicy = Omit<ApiResponse<'/api/organization/data-policy'>, 'providers'>;
export type Member = ApiResponse<'/api/members'>['members'][number];
export type Invitation = ApiResponse<'/api/invitations'>['invitations'][number];
export type OrganizationChange = NonNullable<
  paths['/api/organization']['put']['requestBody']
>['content']['application/json'];
export type NewInvitation = NonNullable<
  paths['/api/invitations']['post']['requestBody']
>['content']['application/json'];
/** What becomes of the keys of someone who is removed, or loses the role that may have some. */
export type KeysFate = 'deactivate' | 'transfer';

export const organizationQuery = queryOptions({
  queryKey: ['organization'],
  queryFn: async () => {
    const organization = await call(api.GET('/api/organization'));
    // Someone else may have renamed it.
    session.renameOrganization(organization);
    return organization;
  },
});

export const allowListQuery = queryOptions({
  queryKey: ['ip-allow-list'],
  queryFn: () => call(api.GET('/api/organization/ip-allow-list')),
});

/** With the names of the providers in the catalogue. */
export const dataPolicyQuery = queryOptions({
  queryKey: ['data-policy'],
  queryFn: () => call(api.GET('/api/organization/data-policy')),
});

export const membersQuery = queryOptions({
  queryKey: ['members'],
  queryFn: async () => (await call(api.GET('/api/members'))).members,
});

export const invitationsQuery = queryOptions({
  queryKey: ['invitations'],
  queryFn: async () => (await call(api.GET('/api/invitations'))).invitations,
});

export const changeOrganization = (body: OrganizationChange) => call(api.PUT('/api/organization', { body }));

export const changeAllowList = (entries: string[]) =>
  call(api.PUT('/api/organization/ip-allow-list', { body: { entries } }));

export const changeDataPolicy = (body: DataPolicy) => call(api.PUT('/api/organization/data-policy', { body }));

export const changeRole = (id: number, change: { role: Role; keys: KeysFate }) =>
  call(api.PUT('/api/members/{id}', { params: { path: { id } }, body: change }));

/** Of oneself, it ends the session. */
export const removeMember = (id: number, keys: KeysFate = 'deactivate') =>
  call(api.DELETE('/api/members/{id}', { params: { path: { id }, query: { keys } } }));

export const invite = (body: NewInvitation) => call(api.POST('/api/invitations', { body }));

export const resendInvitation = (id: number) =>
  call(api.POST('/api/invitations/{id}/resend', { params: { path: { id } } }));

export const revokeInvitation = (id: number) => call(api.DELETE('/api/invitations/{id}', { params: { path: { id } } }));
