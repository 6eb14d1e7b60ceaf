/** The route /billing. */
import { createRoute } from '@tanstack/react-router';
import { userParent } from '../app/router/parents.ts';
import { choiceOf, idOf, present, textOf } from '../app/router/search.ts';
import { balanceQuery } from '../overview/queries.ts';
import { documentsQuery } from './documents/queries.ts';
import { autoTopUpQuery, billingTabs, methodsQuery, paymentQuery, paymentsQuery } from './queries.ts';

export const billingPage = createRoute({
  getParentRoute: () => userParent,
  path: '/billing',
  staticData: { permission: 'payments:read' },
  validateSearch: (search) =>
    present({
      tab: choiceOf(search, 'tab', billingTabs),
      // Opens the dialog.
      topUp: choiceOf(search, 'topUp', ['1']),
      payment: textOf(search, 'payment'),
      document: textOf(search, 'document'),
      // The browser has come back from the provider's page.
      returned: choiceOf(search, 'returned', ['1']),
      // How many are skipped.
      cursor: idOf(search, 'cursor'),
    }),
  loaderDeps: ({ search: { tab, payment, cursor } }) => ({ tab, payment, cursor }),
  loader: ({ context: { queries }, deps: { tab, payment, cursor } }) => {
    void queries.prefetchQuery(balanceQuery);
    void queries.prefetchQuery(methodsQuery);
    if (tab === 'documents') void queries.prefetchQuery(documentsQuery(cursor));
    else if (tab === undefined) void queries.prefetchQuery(paymentsQuery(cursor));
    void queries.prefetchQuery(autoTopUpQuery);
    if (payment !== undefined) void queries.prefetchQuery(paymentQuery(payment));
  },
}).lazy(async () => (await import('./billing-page.tsx')).billingRoute);
