/** The response to sign-up, log-in and refresh: both tokens, the user, and the organization. */
import { Type } from '@sinclair/typebox';
import { notMember } from '../../auth/authorize.ts';
import type { User } from '../../auth/create-user.ts';
import { permissions, permissionsOf, roles } from '../../auth/permissions.ts';
import { type AccessTokens, accessTokenLifeSeconds, signAccessToken } from '../../auth/sessions/access-tokens.ts';
import type { IssuedToken } from '../../auth/sessions/refresh-tokens.ts';
import { roleInSession, unmetRule } from '../../auth/sign-in-rule.ts';
import type { DbOrTransaction } from '../../database/connect.ts';
import { listOrganizations } from '../../organizations/organizations.ts';
import { customer, refreshToken } from '../fields/example-values.ts';
import { integer, nullable, oneOf, text } from '../fields/schemas.ts';

export const sessionSchema = Type.Object(
  {
    accessToken: text(
      'The token to send as `Authorization: Bearer …`. It is refused as soon as its session ends.',
      'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiI0MiJ9.c2lnbmF0dXJl',
    ),
    tokenType: oneOf(['Bearer'], 'The scheme to send the access token with: always `Bearer`.'),
    expiresIn: integer(
      'Seconds until the access token expires. Refresh the tokens before then.',
      accessTokenLifeSeconds,
    ),
    refreshToken: text(
      'The token to get the next pair of tokens with, once and within 30 days. Browsers have it as the cookie ' +
        '`gateway_refresh` too.',
      refreshToken,
    ),
    user: Type.Object(
      {
        id: integer('The id of the user.', customer.userId),
        email: text("The user's e-mail address, verified or not.", customer.email),
        displayName: nullable(text("The user's name; null if none was given.", customer.name)),
        role: oneOf(['customer', 'operator'], 'What the user may do: an `operator` may call `/api/operator/…` too.'),
      },
      { description: 'The user who is logged in.' },
    ),
    organization: Type.Object(
      {
        id: integer('The id of the organization.', customer.accountId),
        name: text('What it is called.', customer.companyName),
        role: oneOf(roles, "The user's role in it.", 'owner'),
        unmetSignIn: nullable(
          oneOf(
            ['second_factor', 'oidc'],
            'What the organization requires and this session was not begun with; until then only the profile can be used. Null if nothing is missing.',
          ),
        ),
        permissions: Type.Array(oneOf(permissions, 'A permission.'), {
          description:
            'What the role may do, some of it only with what is their own, as the keys that a `member` has created.',
          example: ['balance:read', 'keys:read', 'keys:manage'],
        }),
      },
      { description: 'The organization that the tokens are for.' },
    ),
  },
  { title: 'Session' },
);

export type Session = typeof sessionSchema.static;

/** Throws GatewayError `invalid_token` if the user no longer belongs to the organization. */
export async function makeSession(
  { db, accessTokens }: { db: DbOrTransaction; accessTokens: AccessTokens },
  user: User,
  { refreshToken, sessionId, accountId }: IssuedToken,
): Promise<Session> {
  const { id, homeAccountId, email, displayName } = user;
  const organization = (await listOrganizations(db, id)).find((each) => each.id === accountId);
  if (organization === undefined) throw notMember();
  return {
    accessToken: await signAccessToken(accessTokens, { userId: id, accountId, homeAccountId, sessionId }),
    tokenType: 'Bearer',
    expiresIn: accessTokenLifeSeconds,
    refreshToken,
    user: { id, email, displayName, role: await roleInSession(db, user, sessionId) },
    organization: {
      id: accountId,
      name: organization.name,
      role: organization.role,
      unmetSignIn: await unmetRule(db, {
        user,
        sessionId,
        accountId,
        role: organization.role,
        rule: organization.signInRule,
      }),
      permissions: permissionsOf(organization.role),
    },
  };
}
