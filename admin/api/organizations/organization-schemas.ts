/** Organizations, their members and invitations, in requests and responses. */
import { Type } from '@sinclair/typebox';
import { GatewayError } from '../../../shared/errors.ts';
import { roles } from '../../auth/permissions.ts';
import { signInRules } from '../../auth/sign-in-rule.ts';
import type { Invitation } from '../../organizations/invitations.ts';
import type { Member } from '../../organizations/members.ts';
import type { Organization } from '../../organizations/organizations.ts';
import { newPassword } from '../auth/auth-schemas.ts';
import { mailedToken } from '../auth/mail-link-schemas.ts';
import { customer } from '../fields/example-values.ts';
import {
  closedObject,
  emailAddress,
  flag,
  idOf,
  integer,
  label,
  nullable,
  oneOf,
  text,
  timestamp,
} from '../fields/schemas.ts';

const nameMaxLength = 100;
const displayNameMaxLength = 100;

const roleOf = (whose: string, example: (typeof roles)[number] = 'member') =>
  oneOf(roles, `What ${whose} may do in the organization.`, example);
const colleague = 'boris@example.com';

const organizationFields = {
  id: integer('The id of the organization.', customer.accountId),
  name: text('Its own name; until it has one, the name of the company or the e-mail address of the owner.', 'Ромашка'),
  role: roleOf('the caller', 'owner'),
};

export const organizationsSchema = Type.Object(
  {
    organizations: Type.Array(
      Type.Object({
        ...organizationFields,
        current: flag('Whether the access token is for this one.', true),
      }),
      { description: 'In the order in which the user joined them.' },
    ),
  },
  { title: 'Organizations' },
);

export const organizationSchema = Type.Object(
  {
    ...organizationFields,
    timeZone: text('The IANA time zone in which its days begin.', 'Europe/Moscow'),
    signIn: oneOf(signInRules, 'What its members must have signed in with.', 'second_factor'),
    createdAt: timestamp('When it was created.'),
  },
  { title: 'Organization' },
);

const name = label(nameMaxLength, 'What members and invited people see. It must not have a link.', 'Ромашка');

export const newOrganizationBody = closedObject({ name });

export const changeOrganizationBody = closedObject({
  name: Type.Optional(name),
  timeZone: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'The IANA time zone in which its days begin.',
      expected: 'the name of a time zone, such as Europe/Moscow',
      example: 'Europe/Moscow',
    }),
  ),
});

export function nothingToChange(): GatewayError {
  return new GatewayError('missing_parameter', 'Send at least one of `name` and `timeZone`.', { param: 'name' });
}

export const switchBody = closedObject({
  organizationId: idOf('an organization', 'The id of an organization of the caller.', customer.accountId),
});

export const membersSchema = Type.Object(
  {
    members: Type.Array(
      Type.Object({
        id: integer('The id of the user.', customer.userId),
        email: text("The member's e-mail address.", customer.email),
        displayName: nullable(text("The member's name; null if none was given.", customer.name)),
        role: roleOf('the member', 'owner'),
        twoFactor: flag('Whether their log-ins need a second factor.', true),
        joinedAt: timestamp('When they joined.'),
        lastSeenAt: nullable(
          timestamp('When they last got tokens for this organization; null if never, or more than a month ago.'),
        ),
      }),
      { description: 'In the order in which they joined.' },
    ),
  },
  { title: 'Members' },
);

export const memberParams = Type.Object({
  id: idOf('a member', "The id of the member's user, as the list of members shows it.", 43),
});

const keysFate = ['deactivate', 'transfer'] as const;
const whatBecomes = "they are deactivated, which is the default, or become the caller's and keep working.";

export const roleBody = closedObject({
  role: roleOf('the member'),
  keys: Type.Optional(
    oneOf(
      keysFate,
      `What becomes of the proxy keys that the member has created, if the role is one that has none: ${whatBecomes}`,
    ),
  ),
});

export const removalQuery = Type.Object({
  keys: Type.Optional(oneOf(keysFate, `What becomes of the proxy keys that the member has created: ${whatBecomes}`)),
});

const invitationFields = {
  id: integer('The id of the invitation.', 5),
  email: text('Who is invited.', colleague),
  role: roleOf('they'),
  expiresAt: timestamp('When the link ends.', '2030-01-08T00:00:00.000Z'),
  createdAt: timestamp('When the address was last invited.'),
};

export const invitationSchema = Type.Object(invitationFields, { title: 'Invitation' });

export const invitationsSchema = Type.Object(
  {
    invitations: Type.Array(Type.Object(invitationFields), {
      description: 'Those that were neither accepted nor revoked. One that has expired can be sent again.',
    }),
  },
  { title: 'Invitations' },
);

export const invitationParams = Type.Object({
  id: idOf('an invitation', 'The id of the invitation, as the list of invitations shows it.', 5),
});

export const inviteBody = closedObject({
  email: emailAddress('Who is invited.', colleague),
  role: roleOf('they'),
});

export const previewQuery = Type.Object({ token: mailedToken });

export const previewSchema = Type.Object(
  {
    organization: text('What the organization is called.', 'Ромашка'),
    email: text('Who is invited.', colleague),
    role: roleOf('they'),
    hasAccount: flag('Whether the address has a user, who must log in to accept.', false),
  },
  { title: 'InvitationPreview' },
);

export const acceptBody = closedObject({
  token: mailedToken,
  password: Type.Optional({ ...newPassword, description: `For someone new. ${newPassword.description}` }),
  displayName: Type.Optional(
    label(displayNameMaxLength, 'For someone new: the name that the dashboard shows.', 'Борис'),
  ),
});

export function renderOrganization(organization: Organization): typeof organizationSchema.static {
  const { id, name, role, timeZone, signInRule: signIn, createdAt } = organization;
  return { id, name, role, timeZone, signIn, createdAt: createdAt.toISOString() };
}

export function renderMember(member: Member): (typeof membersSchema.static)['members'][number] {
  const { id, email, displayName, role, twoFactor, joinedAt, lastSeenAt } = member;
  return {
    ...{ id, email, displayName, role, twoFactor },
    joinedAt: joinedAt.toISOString(),
    lastSeenAt: lastSeenAt?.toISOString() ?? null,
  };
}

export function renderInvitation(invitation: Invitation): typeof invitationSchema.static {
  const { id, email, role, expiresAt, createdAt } = invitation;
  return { id, email, role, expiresAt: expiresAt.toISOString(), createdAt: createdAt.toISOString() };
}
