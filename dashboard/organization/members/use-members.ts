/** The members that the user sees, for pages that choose or name one of them. */
import { useQuery } from '@tanstack/react-query';
import { useMay } from '../../app/session/permissions.ts';
import { type Member, membersQuery } from '../queries.ts';

const none: readonly Member[] = [];

/** None until they are loaded, and for those who may not list them. */
export function useMembers(): readonly Member[] {
  return useQuery({ ...membersQuery, enabled: useMay('members:read') }).data ?? none;
}
