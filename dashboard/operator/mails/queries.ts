/** What the page of mails asks for, and what it changes. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type ApiResponse, api, call } from '../../app/api/api.ts';
import { pageOf, pageQuery } from '../paging.ts';

export const mailFilters = ['failed', 'queued', 'sent', 'all'] as const;
export type MailFilter = (typeof mailFilters)[number];

export type Mail = ApiResponse<'/api/operator/mails'>['mails'][number];

export interface MailsSearch {
  /** Without it, failed mails. */
  readonly state?: MailFilter;
  readonly cursor?: string;
}

export const mailsQuery = ({ state = 'failed', cursor }: MailsSearch) =>
  queryOptions({
    queryKey: ['operator-mails', { state, cursor }],
    queryFn: async () => {
      const query = { ...pageQuery(cursor), ...(state !== 'all' && { state }) };
      const { mails } = await call(api.GET('/api/operator/mails', { params: { query } }));
      return pageOf(mails);
    },
    placeholderData: keepPreviousData,
  });

export function resendMail(id: number) {
  return call(api.POST('/api/operator/mails/{id}/resend', { params: { path: { id } } }));
}
