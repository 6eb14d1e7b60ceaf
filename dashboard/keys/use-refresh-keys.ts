/**
 * Asks again for what a change to keys shows in: their list, and for proxy keys the projects, which count them, and the
 * budgets, which their limits are.
 */
import { useQueryClient } from '@tanstack/react-query';
import { budgetsQuery } from '../organization/budgets/queries.ts';
import { projectsQuery } from '../organization/projects/queries.ts';
import { type KeyKind, keysQuery } from './queries.ts';

export function useRefreshKeys(kind: KeyKind): () => Promise<unknown> {
  const queries = useQueryClient();
  return () =>
    Promise.all([
      queries.invalidateQueries(keysQuery(kind)),
      ...(kind === 'proxy' ? [queries.invalidateQueries(projectsQuery), queries.invalidateQueries(budgetsQuery)] : []),
    ]);
}
