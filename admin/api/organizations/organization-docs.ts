/** The documentation of organizations, members and invitations. */
import { badEmail } from '../../auth/email-address.ts';
import { tooManyPasswords } from '../../auth/passwords/password-hasher.ts';
import { roleRequired } from '../../auth/permissions.ts';
import { otherOrganization } from '../../auth/sign-in-rule.ts';
import { mailsRefusal } from '../../auth/throttle/request-throttle.ts';
import { tooManyAttempts } from '../../auth/throttle/throttle.ts';
import { accountBlocked, addressUnverified } from '../../database/rows/account-state.ts';
import { crossOrigin } from '../../http/request/same-origin.ts';
import { logInFirst, otherAddress } from '../../organizations/accept-invitation.ts';
import { alreadyMember, invitationExpired, invitationNotFound } from '../../organizations/invitations.ts';
import { lastOwner, memberNotFound } from '../../organizations/members.ts';
import { organizationNotFound, ownedMax, tooManyOrganizations } from '../../organizations/organizations.ts';
import { sessionSchema } from '../auth/session.ts';
import { describe } from '../docs/describe.ts';
import { turnErrors } from '../keys/deliver-key.ts';
import { invitationsDayMax, invitationsRefusal, mailboxDayMax, mailboxHourMax } from './invitation-limits.ts';
import {
  acceptBody,
  changeOrganizationBody,
  invitationParams,
  invitationSchema,
  invitationsSchema,
  inviteBody,
  memberParams,
  membersSchema,
  newOrganizationBody,
  nothingToChange,
  organizationSchema,
  organizationsSchema,
  previewQuery,
  previewSchema,
  removalQuery,
  roleBody,
  switchBody,
} from './organization-schemas.ts';

const tag = 'Organization';
const invited = 'boris@example.com';
const dayMs = 86_400_000;

export const listOrganizationsDocs = describe({
  id: 'listOrganizations',
  permission: 'profile:manage',
  summary: "List the caller's organizations",
  description: 'Everyone owns one. Others are joined by invitation, or created.',
  tag,
  response: { description: 'The organizations.', schema: organizationsSchema },
});

export const createOrganizationDocs = describe({
  id: 'createOrganization',
  permission: 'profile:manage',
  summary: 'Create an organization',
  description:
    'The caller is its owner. It has a balance, keys and documents of its own. To work in it, switch to it. One person can ' +
    `own at most ${ownedMax}.`,
  tag,
  body: { schema: newOrganizationBody },
  response: { status: 201, description: 'The organization was created.', schema: organizationSchema },
  errors: [addressUnverified(), tooManyOrganizations()],
});

export const switchDocs = describe({
  id: 'switchOrganization',
  permission: 'profile:manage',
  summary: 'Switch to another organization',
  description:
    'The session ends, and another begins in that organization, where the next log-in begins too. Tokens are for one organization: ' +
    'everything that is called with them is about it.',
  tag: 'Authentication',
  body: { schema: switchBody },
  response: { description: 'Tokens for the organization.', schema: sessionSchema },
  errors: [crossOrigin(), organizationNotFound(18), otherOrganization(), accountBlocked()],
});

export const getOrganizationDocs = describe({
  id: 'getOrganization',
  permission: 'organization:read',
  summary: 'Get the organization',
  description: 'The one that the access token is for.',
  tag,
  response: { description: 'The organization.', schema: organizationSchema },
});

export const changeOrganizationDocs = describe({
  id: 'changeOrganization',
  permission: 'organization:manage',
  summary: 'Change the organization',
  description: 'Its name, or the time zone in which its days begin.',
  tag,
  body: { schema: changeOrganizationBody },
  response: { description: 'The changed organization.', schema: organizationSchema },
  errors: [nothingToChange(), ...turnErrors()],
});

export const listMembersDocs = describe({
  id: 'listMembers',
  permission: 'members:read',
  summary: 'List members',
  description: 'All who belong to the organization, and when they were last there.',
  tag,
  response: { description: 'The members.', schema: membersSchema },
});

export const changeMemberDocs = describe({
  id: 'changeMember',
  permission: 'members:manage',
  summary: 'Change the role of a member',
  description:
    'Takes effect with the next request. Only owners can change the role of an owner, or make someone an owner. Finance and ' +
    'auditors have no proxy keys: those that the member has created are deactivated, or become the caller’s. When the response ' +
    'is sent, every replica refuses deactivated keys.',
  tag,
  params: memberParams,
  body: { schema: roleBody },
  response: { status: 204, description: 'The role is changed.' },
  errors: [memberNotFound(43), lastOwner(), ...turnErrors()],
});

export const removeMemberDocs = describe({
  id: 'removeMember',
  permission: 'members:remove',
  summary: 'Remove a member, or leave',
  description:
    'Ends their sessions in the organization, and deactivates the proxy keys that they have created, or makes them the ' +
    "caller's. When the response is sent, every replica refuses deactivated keys. Only owners can remove an owner.",
  own: 'their own membership',
  tag,
  params: memberParams,
  query: removalQuery,
  response: { status: 204, description: 'They are no longer a member.' },
  errors: [roleRequired('member', ['owner', 'admin']), memberNotFound(43), lastOwner(), ...turnErrors()],
});

export const listInvitationsDocs = describe({
  id: 'listInvitations',
  permission: 'members:read',
  summary: 'List invitations',
  description: 'Those that were neither accepted nor revoked; the ones that have expired for a month.',
  tag,
  response: { description: 'The invitations.', schema: invitationsSchema },
});

export const inviteDocs = describe({
  id: 'createInvitation',
  permission: 'members:manage',
  summary: 'Invite someone',
  description:
    'Mails them a link, which works once within a week. If the address is invited already, its former link ends. Only owners can ' +
    `invite owners. At most ${invitationsDayMax} invitations a day for an organization, and ${mailboxHourMax} an hour and ` +
    `${mailboxDayMax} a day to one mailbox.`,
  tag,
  body: { schema: inviteBody },
  response: { status: 201, description: 'The link is on its way.', schema: invitationSchema },
  errors: [
    badEmail(),
    addressUnverified(),
    alreadyMember(),
    tooManyAttempts(invitationsRefusal, dayMs),
    tooManyAttempts(mailsRefusal, 60_000),
  ],
});

export const resendInvitationDocs = describe({
  id: 'resendInvitation',
  permission: 'members:manage',
  summary: 'Send an invitation again',
  description: 'With a new link, which works for a week; the former one ends. Counts as an invitation.',
  tag,
  params: invitationParams,
  response: { description: 'The link is on its way.', schema: invitationSchema },
  errors: [invitationNotFound(5), tooManyAttempts(invitationsRefusal, dayMs), tooManyAttempts(mailsRefusal, 60_000)],
});

export const revokeInvitationDocs = describe({
  id: 'revokeInvitation',
  permission: 'members:manage',
  summary: 'Revoke an invitation',
  description: 'The mailed link stops working. Only owners can revoke the invitation of an owner.',
  tag,
  params: invitationParams,
  response: { status: 204, description: 'Its link no longer works.' },
  errors: [invitationNotFound(5)],
});

export const previewInvitationDocs = describe({
  id: 'previewInvitation',
  permission: 'public',
  summary: 'See what a link invites to',
  description: 'For the page that the link opens: to what, as what, and whether the address has a user already.',
  tag,
  query: previewQuery,
  response: { description: 'The link works.', schema: previewSchema },
  errors: [invitationExpired()],
});

export const acceptInvitationDocs = describe({
  id: 'acceptInvitation',
  permission: 'public',
  summary: 'Accept an invitation',
  description:
    'Someone new sends a password, and gets a user with the invited address. Someone who has a user sends the access token of ' +
    'that user as `Authorization: Bearer …`; that session ends, and another begins in the organization.',
  tag,
  body: { schema: acceptBody },
  response: { description: 'Tokens for the organization.', schema: sessionSchema },
  errors: [
    crossOrigin(),
    invitationExpired(),
    logInFirst(invited),
    otherAddress(invited),
    otherOrganization(),
    alreadyMember(),
    accountBlocked(),
    tooManyPasswords(),
  ],
});
