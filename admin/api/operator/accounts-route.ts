/** /api/operator/accounts: customer accounts, and what an operator may change about them. */
import { Elysia } from 'elysia';
import { checkValue } from '../../../shared/http/check-value.ts';
import { blockAccount, unblockAccount } from '../../accounts/block-account.ts';
import { limitAccount } from '../../accounts/limit-account.ts';
import { readAccount } from '../../accounts/read-account.ts';
import { findAccount, searchAccounts } from '../../accounts/search-accounts.ts';
import { authorized } from '../../auth/authorize.ts';
import type { DbOrTransaction } from '../../database/connect.ts';
import { accountNotFound } from '../../database/rows/lock-account.ts';
import { checkQuery } from '../../http/request/check-query.ts';
import type { Actor } from '../../operations/audit/record-action.ts';
import type { AdminServices } from '../../services.ts';
import { deliverChange } from '../keys/deliver-key.ts';
import { readPageInTurn, readRequestPage } from '../money/requests-route.ts';
import { requestsQuery } from '../money/requests-schemas.ts';
import { readTransactionPage } from '../money/transactions-route.ts';
import { transactionsQuery } from '../money/transactions-schemas.ts';
import {
  blockAccountDocs,
  getAccountDocs,
  limitAccountDocs,
  listAccountRequestsDocs,
  listAccountsDocs,
  listAccountTransactionsDocs,
  unblockAccountDocs,
} from './accounts-docs.ts';
import { accountsQuery, blockBody, limitsBody, readLimitChange } from './accounts-schemas.ts';
import { idParams, pageMax, parseReason } from './operator-schemas.ts';
import { renderAccount, renderAccountDetail } from './render-account.ts';

const accountParams = idParams('an account');

export function operatorAccountsRoute(services: AdminServices) {
  const { db } = services.database;
  const { archive, heavyWork } = services;
  const ledger = { db, archive };
  const show = async (accountId: number) => {
    const account = await readAccount({ db, keeper: services.keeper }, accountId);
    if (account === undefined) throw accountNotFound(accountId, 'id');
    return renderAccountDetail(account);
  };
  /** The change is effective when the response is sent. */
  const showChanged = async (accountId: number) => {
    await deliverChange(services, { accountId, kind: 'proxy' });
    return show(accountId);
  };
  const setBlocked = async (change: typeof blockAccount, { actor, body, params }: Change) => {
    const accountId = accountIdOf(params);
    await change(db, actor, { accountId, reason: parseReason(checkValue(blockBody, body).reason) });
    return showChanged(accountId);
  };
  return new Elysia({ prefix: '/api/operator/accounts' })
    .use(authorized(services))
    .get(
      '',
      async ({ query }) => {
        const { search, blocked, beforeId, limit = pageMax } = checkQuery(accountsQuery, query);
        const found = await searchAccounts(db, {
          text: search?.trim() || undefined,
          blocked: blocked === undefined ? undefined : blocked === 'true',
          beforeId,
          limit,
        });
        return { accounts: found.map(renderAccount) };
      },
      listAccountsDocs,
    )
    .get('/:id', ({ params }) => show(accountIdOf(params)), getAccountDocs)
    .get(
      '/:id/requests',
      async ({ caller: { homeAccountId }, params, query, request: { signal } }) => {
        const [id, filter] = [accountIdOf(params), checkQuery(requestsQuery, query)];
        const accountId = await existing(db, id);
        const read = () => readRequestPage({ ...ledger, signal }, { accountId }, filter);
        return readPageInTurn(services, { accountId: homeAccountId, signal }, { filter, read });
      },
      listAccountRequestsDocs,
    )
    .get(
      '/:id/transactions',
      async ({ caller: { homeAccountId }, params, query, request: { signal } }) => {
        const [id, filter] = [accountIdOf(params), checkQuery(transactionsQuery, query)];
        const accountId = await existing(db, id);
        return heavyWork.run({ kind: 'query', accountId: homeAccountId, signal }, () =>
          readTransactionPage({ ...ledger, signal }, accountId, filter),
        );
      },
      listAccountTransactionsDocs,
    )
    .post('/:id/block', (context) => setBlocked(blockAccount, context), blockAccountDocs)
    .post('/:id/unblock', (context) => setBlocked(unblockAccount, context), unblockAccountDocs)
    .put(
      '/:id/limits',
      async ({ actor, body, params }) => {
        const accountId = accountIdOf(params);
        const { reason, ...limits } = checkValue(limitsBody, body);
        const change = readLimitChange(limits);
        const why = reason === undefined ? undefined : parseReason(reason);
        await limitAccount(db, actor, { accountId, change, reason: why });
        return showChanged(accountId);
      },
      limitAccountDocs,
    );
}

interface Change {
  readonly actor: Actor;
  readonly body: unknown;
  readonly params: Record<string, string>;
}

const accountIdOf = (params: Record<string, string>) => checkQuery(accountParams, params).id;

/** Throws GatewayError `not_found`. */
async function existing(db: DbOrTransaction, accountId: number): Promise<number> {
  if ((await findAccount(db, accountId)) === undefined) throw accountNotFound(accountId, 'id');
  return accountId;
}
