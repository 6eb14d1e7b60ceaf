/** What the profile asks for, and what it changes. */
import { queryOptions } from '@tanstack/react-query';
import { api, call } from '../app/api/api.ts';
import { callInDetail, DetailedError } from '../app/api/detailed-call.ts';
import type { paths } from '../generated/api.ts';

type ProfilePath = paths['/api/profile'];
export type ProfileChange = NonNullable<ProfilePath['put']['requestBody']>['content']['application/json'];
export type SessionEntry =
  paths['/api/profile/sessions']['get']['responses'][200]['content']['application/json']['sessions'][number];

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: async () => (await call(api.GET('/api/profile/sessions'))).sessions,
});

export const changeProfile = (body: ProfileChange) => call(api.PUT('/api/profile', { body }));

/** Mails the link for the pending address, or for the present one if it is not confirmed. */
export const resendLink = () => call(api.POST('/api/auth/resend-verification'));

export const changePassword = (current: string, next: string) =>
  call(api.POST('/api/profile/password', { body: { current_password: current, new_password: next } }));

export const endSession = (sessionId: string) =>
  call(api.DELETE('/api/profile/sessions/{sessionId}', { params: { path: { sessionId } } }));

export const endAllSessions = () => call(api.DELETE('/api/profile/sessions'));

export const endOtherSessions = () =>
  call(api.DELETE('/api/profile/sessions', { params: { query: { keepCurrent: 'true' } } }));

interface Deletion {
  readonly password: string;
  /** The balance that is given up, exactly as the API named it. */
  readonly forfeit: string | undefined;
}

export const deleteAccount = ({ password, forfeit }: Deletion) =>
  callInDetail(
    api.DELETE('/api/account', {
      body: { current_password: password, ...(forfeit !== undefined && { forfeitBalanceUsd: forfeit }) },
    }),
  );

/** The amount that has to be given up with the account; undefined for other errors. */
export function balanceLeft(error: unknown): string | undefined {
  if (!(error instanceof DetailedError) || error.code !== 'balance_left') return undefined;
  const { balanceUsd } = error.details;
  return typeof balanceUsd === 'string' ? balanceUsd : undefined;
}
