/** /operator/payments */
import { createRoute } from '@tanstack/react-router';
import { operatorParent } from '../../app/router/parents.ts';
import { choiceOf, idOf, present, textOf } from '../../app/router/search.ts';
import { paymentStatuses } from '../../billing/queries.ts';
import { openLinesQuery } from './bank/queries.ts';
import { operatorPaymentQuery, operatorPaymentsQuery, reviewFilter } from './queries.ts';

export const paymentsPage = createRoute({
  getParentRoute: () => operatorParent,
  path: '/operator/payments',
  validateSearch: (search) =>
    present({
      tab: choiceOf(search, 'tab', ['bank']),
      status: choiceOf(search, 'status', paymentStatuses),
      method: textOf(search, 'method'),
      accountId: idOf(search, 'accountId'),
      payment: textOf(search, 'payment'),
      // Of transfers, how many are skipped.
      cursor: search.tab === 'bank' ? idOf(search, 'cursor')?.toString() : textOf(search, 'cursor'),
    }),
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queries }, deps: { tab, payment, ...filter } }) => {
    if (tab === 'bank') return void queries.prefetchQuery(openLinesQuery(idOf(filter, 'cursor')));
    void queries.prefetchQuery(operatorPaymentsQuery(reviewFilter));
    void queries.prefetchQuery(operatorPaymentsQuery(filter));
    if (payment !== undefined) void queries.prefetchQuery(operatorPaymentQuery(payment));
  },
}).lazy(async () => (await import('./payments-page.tsx')).paymentsRoute);
