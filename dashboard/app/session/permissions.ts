/** What the user may do in the organization that is shown. The API decides; pages leave out what it would refuse. */
import { useSyncExternalStore } from 'react';
import type { Permission, SessionOrganization, UnmetSignIn } from './place.ts';
import { type SessionState, session } from './session.ts';

/** What everyone may do who is signed in needs none. */
type Needed = Permission | undefined;

/** For what runs outside of components, such as the loaders of pages. */
export const may = (permission: Needed): boolean => isGranted(session.state(), permission);

/** For components: they are drawn again when the role changes. */
export function useMay(permission: Needed): boolean {
  return useSyncExternalStore(session.subscribe, () => isGranted(session.state(), permission));
}

/** What is missing of the sign-in that the organization requires. Until it is met, everything but the profile is refused. */
export function unmetSignIn(): UnmetSignIn | null {
  const state = session.state();
  return state.status === 'signedIn' ? (state.organization?.unmetSignIn ?? null) : null;
}

/** As `unmetSignIn`, for components. */
export const useUnmetSignIn = (): UnmetSignIn | null => useSyncExternalStore(session.subscribe, unmetSignIn);

/** Undefined for the moment between the end of a session and the log-in page. */
export function useOrganization(): SessionOrganization | undefined {
  const state = useSyncExternalStore(session.subscribe, session.state);
  return state.status === 'signedIn' ? state.organization : undefined;
}

/** Without organizations, as in the version before, everyone may do everything. */
function isGranted(state: SessionState, permission: Needed): boolean {
  if (state.status !== 'signedIn') return false;
  if (state.organization?.unmetSignIn) return permission === 'profile:manage';
  if (permission === undefined || state.organization === undefined) return true;
  return state.organization.permissions.includes(permission);
}
