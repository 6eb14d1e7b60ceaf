/** What a mailed invitation is for, and its acceptance. */
import { queryOptions } from '@tanstack/react-query';
import { type ApiResponse, call, publicApi } from '../../app/api/api.ts';
import { session } from '../../app/session/session.ts';
import type { paths } from '../../generated/api.ts';

export type Preview = ApiResponse<'/api/invitations/preview'>;
type Acceptance = NonNullable<paths['/api/invitations/accept']['post']['requestBody']>['content']['application/json'];
/** What someone new enters. */
export type NewPerson = Omit<Acceptance, 'token'>;

export const previewQuery = (token: string) =>
  queryOptions({
    queryKey: ['invitation', token],
    queryFn: () => call(publicApi.GET('/api/invitations/preview', { params: { query: { token } } })),
  });

/** Never resolves: the dashboard opens in the organization. Throws ApiError. */
export function accept(body: Acceptance): Promise<never> {
  return session.enter((headers) => call(publicApi.POST('/api/invitations/accept', { body, headers })));
}
