/** /api/operator/reconciliation: whether the wallets in Redis agree with the ledger; the last result, or one made now. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { GatewayError } from '../../../shared/errors.ts';
import { WalletAuditor } from '../../../shared/wallet/wallet-auditor.ts';
import { requireOperator } from '../../auth/require-operator.ts';
import { describe } from '../../docs/describe.ts';
import type { AdminServices } from '../../services.ts';
import { type KeptReconciliation, readLastReconciliation } from '../../wallets/reconcile/keep-reconciliation.ts';
import { runReconciliation } from '../../wallets/reconcile/run-reconciliation.ts';
import { nullable, timestamp } from '../fields/schemas.ts';

const usd = (description: string) => Type.String({ description });
const drift = Type.Object({
  d1: usd('`spent` in the ledger less in the wallet.'),
  d2: usd('`available` + `held` + `spent` less `credited`.'),
  d3: usd('`held` less the open holds.'),
  d4: usd('`credited` in the wallet less in the ledger.'),
});
const reconciliationSchema = Type.Object({
  finishedAt: timestamp,
  ok: Type.Boolean({ description: 'No drift and no violation.' }),
  accounts: Type.Integer(),
  drift,
  violations: Type.Array(
    Type.Object({
      kind: Type.String(),
      subject: Type.String(),
      accountId: nullable(Type.Integer()),
      amount: nullable(Type.String()),
      message: Type.String(),
    }),
  ),
  driftingAccounts: Type.Array(Type.Object({ accountId: Type.Integer(), email: nullable(Type.String()), drift })),
  undecidedAccounts: Type.Integer({ description: 'Wallets that changed too fast for two readings to agree.' }),
});

const nothing = { d1: '0', d2: '0', d3: '0', d4: '0' };
const example: typeof reconciliationSchema.static = {
  finishedAt: '2030-01-01T12:00:00.000Z',
  ok: false,
  accounts: 1204,
  drift: { ...nothing, d3: '0.25' },
  violations: [],
  driftingAccounts: [{ accountId: 17, email: 'ada@example.com', drift: { ...nothing, d3: '0.25' } }],
  undecidedAccounts: 0,
};
const common = {
  tag: 'Operators',
  security: 'accessToken',
  answer: { status: 200, description: 'What was found.', schema: reconciliationSchema, example },
} as const;

const readDocs = describe({
  ...common,
  id: 'getReconciliation',
  summary: 'Last reconciliation',
  description: 'Amounts are decimal strings of USD: sums of absolute differences, and signed for an account.',
  errors: ['access_denied', 'not_found'],
});
const runDocs = describe({
  ...common,
  id: 'runReconciliation',
  summary: 'Reconcile now',
  description: 'Compares all wallets with the ledger, and the ledger with its own rules. Reads only.',
  errors: ['access_denied'],
});

export function reconciliationRoute(services: AdminServices) {
  const { database, backgroundDatabase, redis, log } = services;
  const run = { sql: backgroundDatabase.sql, auditor: new WalletAuditor(redis), log };
  return new Elysia()
    .use(requireOperator(services))
    .get(
      '/api/operator/reconciliation',
      async () => {
        const last = await readLastReconciliation(database.sql);
        if (last === undefined) throw new GatewayError('not_found', 'Nothing was reconciled yet; POST does it now.');
        return render(last);
      },
      readDocs,
    )
    .post('/api/operator/reconciliation', async () => render(await runReconciliation(run)), runDocs);
}

function render({ finishedAt, report }: KeptReconciliation): typeof reconciliationSchema.static {
  const { violations, driftingAccounts, ...rest } = report;
  return {
    ...rest,
    finishedAt: finishedAt.toISOString(),
    violations: [...violations],
    driftingAccounts: [...driftingAccounts],
  };
}
