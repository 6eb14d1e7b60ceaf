/** Whose pages a tab shows, and where: the user, the organization and the role in it. Tabs tell each other when it changes. */
import type { components } from '../../generated/api.ts';

type Tokens = components['schemas']['Session'];
export type SessionUser = Tokens['user'];
export type SessionOrganization = Tokens['organization'];
export type Role = SessionOrganization['role'];
export type Permission = SessionOrganization['permissions'][number];
/** What the organization requires people to sign in with, and this session was not begun with. */
export type UnmetSignIn = NonNullable<SessionOrganization['unmetSignIn']>;

/** What the dashboard reads of the response to a log-in and the like. */
export type SessionTokens = Pick<Tokens, 'accessToken' | 'expiresIn' | 'user'> & {
  /** Undefined from a server of the version before, where everyone was alone in their account. */
  readonly organization?: SessionOrganization | undefined;
};

export interface Place {
  readonly userId: number;
  readonly organizationId: number | undefined;
  readonly role: Role | undefined;
  /** Undefined from a tab of the version before. */
  readonly unmetSignIn: UnmetSignIn | null | undefined;
}

/**
 * What a tab tells the others: where the user is now, `ended` if the session has ended by itself, null if the user has signed out.
 * The version before sends the user's id alone, and reloads when it receives anything else.
 */
export type SessionMessage = Place | 'ended' | number | null;

export function placeOf({ user, organization }: Pick<SessionTokens, 'user' | 'organization'>): Place {
  const { id: organizationId, role, unmetSignIn } = organization ?? {};
  return { userId: user.id, organizationId, role, unmetSignIn };
}

/** Whether both may see and do the same there. What is not known is taken for the same. */
export function isSameAccess(one: Place, other: Place): boolean {
  const isKnown = one.unmetSignIn !== undefined && other.unmetSignIn !== undefined;
  return one.role === other.role && (!isKnown || one.unmetSignIn === other.unmetSignIn);
}

/** What is not known is taken for the same. */
export function isSamePlace(one: Place, other: Partial<Place>): boolean {
  const [here, there] = [one.organizationId, other.organizationId];
  return one.userId === other.userId && (here === undefined || there === undefined || here === there);
}
