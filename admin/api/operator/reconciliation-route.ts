/** /api/operator/reconciliation: whether the wallets in Redis agree with the ledger: the last result, or a new run. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { GatewayError } from '../../../shared/errors.ts';
import { WalletAuditor } from '../../../shared/wallet/wallet-auditor.ts';
import { authorized } from '../../auth/authorize.ts';
import type { AdminServices } from '../../services.ts';
import { runReconciliation } from '../../wallets/reconcile/run-reconciliation.ts';
import { readLastReconciliation, type StoredReconciliation } from '../../wallets/reconcile/store-reconciliation.ts';
import { describe } from '../docs/describe.ts';
import { customer } from '../fields/example-values.ts';
import { usdText } from '../fields/money.ts';
import { count, flag, integer, nullable, text, timestamp } from '../fields/schemas.ts';

const drift = (description: string) =>
  Type.Object(
    {
      d1: usdText('Spending in the ledger minus spending in the wallet.'),
      d2: usdText('`available`, `held` and `spent` of the wallet less its `credited`.'),
      d3: usdText('`held` of the wallet less the sum of its open reservations.'),
      d4: usdText('Credits in the wallet minus credits in the ledger.'),
    },
    { description },
  );
const reconciliationSchema = Type.Object(
  {
    finishedAt: timestamp('When the comparison was finished.'),
    ok: flag('Whether ledger and wallets agree: no drift and no violation.'),
    accounts: count('How many accounts were compared.'),
    drift: drift('The sums of the absolute differences of all accounts. All should be 0.'),
    violations: Type.Array(
      Type.Object({
        kind: text('The violated rule, such as `balance_wrong`.'),
        subject: text('The object that violates it, such as `account 17`.'),
        accountId: nullable(integer('The id of the account; null if none is concerned.')),
        amount: nullable(usdText('By how much; null if it is not about an amount.')),
        message: text('What was found and what was expected, for people.'),
      }),
      {
        description: 'Where the ledger breaks its own rules, or Redis has something else of a request than the ledger.',
      },
    ),
    driftingAccounts: Type.Array(
      Type.Object({
        accountId: integer('The id of the account.'),
        email: nullable(text("The e-mail address of the account's first user; null if it has none.")),
        drift: drift('The signed differences of this account.'),
      }),
      { description: 'The accounts whose wallet differs from the ledger.' },
    ),
    undecidedAccounts: count('How many wallets changed too fast for two readings to agree. Not a sign of a fault.'),
  },
  { title: 'Reconciliation' },
);

const nothing = { d1: '0', d2: '0', d3: '0', d4: '0' };
const example: typeof reconciliationSchema.static = {
  finishedAt: '2030-01-01T12:00:00.000Z',
  ok: false,
  accounts: 1204,
  drift: { ...nothing, d3: '0.25' },
  violations: [],
  driftingAccounts: [{ accountId: customer.accountId, email: customer.email, drift: { ...nothing, d3: '0.25' } }],
  undecidedAccounts: 0,
};
const common = {
  tag: 'Operators',
  permission: 'operator',
  response: { description: 'What was found.', schema: reconciliationSchema, example },
} as const;

const readDocs = describe({
  ...common,
  id: 'getReconciliation',
  summary: 'Last reconciliation',
  description: 'The result of the last comparison of all wallets with the ledger. The gateway makes one regularly.',
  errors: [nothingReconciled()],
});
const runDocs = describe({
  ...common,
  id: 'runReconciliation',
  summary: 'Reconcile now',
  description: 'Compares all wallets with the ledger, and the ledger with its own rules, and changes nothing.',
});

export function reconciliationRoute(services: AdminServices) {
  const { database, scanDatabase, redis, log } = services;
  const run = { sql: scanDatabase.sql, auditor: new WalletAuditor(redis), log };
  return new Elysia()
    .use(authorized(services))
    .get(
      '/api/operator/reconciliation',
      async () => {
        const last = await readLastReconciliation(database.sql);
        if (last === undefined) throw nothingReconciled();
        return render(last);
      },
      readDocs,
    )
    .post('/api/operator/reconciliation', async () => render(await runReconciliation(run)), runDocs);
}

function nothingReconciled(): GatewayError {
  return new GatewayError('not_found', 'There has been no reconciliation yet; POST runs one.');
}

function render({ finishedAt, report }: StoredReconciliation): typeof reconciliationSchema.static {
  const { violations, driftingAccounts, ...rest } = report;
  return {
    ...rest,
    finishedAt: finishedAt.toISOString(),
    violations: [...violations],
    driftingAccounts: [...driftingAccounts],
  };
}
