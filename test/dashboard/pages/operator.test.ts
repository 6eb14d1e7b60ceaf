/** The pages of operators, with what a customer has left there. */
import { seedPayments } from '../harness/payments.ts';
import { seedSeals } from '../harness/seals.ts';
import { auditPages } from './audit-pages.ts';

const names = [
  'accounts',
  'payments',
  'payments?tab=bank',
  'catalogue',
  'catalogue?tab=compare',
  'health',
  'reconciliation',
  'mails',
  'audit',
];

auditPages(
  'for an operator',
  names.map((name) => `/operator/${name}`),
  async (dashboard) => {
    await seedSeals(dashboard.harness);
    await seedPayments(dashboard, await dashboard.harness.createCustomer({ usd: '1234.567890123' }));
    return dashboard.harness.createCustomer({ usd: '0', role: 'operator' });
  },
);
