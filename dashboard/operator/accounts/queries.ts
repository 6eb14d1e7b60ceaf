/** What the list of accounts asks for. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type ApiResponse, api, call } from '../../app/api/api.ts';
import { pageOf, pageQuery } from '../paging.ts';

export const accountStates = ['active', 'blocked'] as const;

export interface AccountsSearch {
  /** An id, an INN, or a part of a name or an address. */
  readonly search?: string;
  readonly state?: (typeof accountStates)[number];
  readonly cursor?: string;
}

export type FoundAccount = ApiResponse<'/api/operator/accounts'>['accounts'][number];

export const accountsQuery = ({ search, state, cursor }: AccountsSearch) =>
  queryOptions({
    queryKey: ['operator-accounts', { search, state, cursor }],
    queryFn: async ({ signal }) => {
      const query = {
        ...pageQuery(cursor),
        ...(search !== undefined && { search }),
        ...(state !== undefined && { blocked: state === 'blocked' ? ('true' as const) : ('false' as const) }),
      };
      const { accounts } = await call(api.GET('/api/operator/accounts', { params: { query }, signal }));
      return pageOf(accounts);
    },
    // The list stays while the next letters are searched for.
    placeholderData: keepPreviousData,
  });
