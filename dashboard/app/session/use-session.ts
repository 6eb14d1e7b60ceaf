/** The session and its user, for components. */
import { useSyncExternalStore } from 'react';
import { type SessionState, type SessionUser, session } from './session.ts';

export const useSession = (): SessionState => useSyncExternalStore(session.subscribe, session.state);

/** Undefined for the moment between the end of a session and the log-in page. */
export function useUser(): SessionUser | undefined {
  const state = useSession();
  return state.status === 'signedIn' ? state.user : undefined;
}
