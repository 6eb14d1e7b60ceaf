/** Asks again for what a change to keys shows in: their list, and for proxy keys the projects, which count them. */
import { useQueryClient } from '@tanstack/react-query';
import { projectsQuery } from '../organization/projects/queries.ts';
import { type KeyKind, keysQuery } from './queries.ts';

export function useRefreshKeys(kind: KeyKind): () => Promise<unknown> {
  const queries = useQueryClient();
  return () =>
    Promise.all([
      queries.invalidateQueries(keysQuery(kind)),
      ...(kind === 'proxy' ? [queries.invalidateQueries(projectsQuery)] : []),
    ]);
}
