/** The profile of the user. */
import { queryOptions } from '@tanstack/react-query';
import { api, call } from '../api/api.ts';
import { session } from './session.ts';

export const profileQuery = queryOptions({
  queryKey: ['profile'],
  queryFn: async () => {
    const profile = await call(api.GET('/api/profile'));
    // It may have changed elsewhere, such as by a mailed link.
    session.rename(profile);
    return profile;
  },
});
