/** /api/budgets: what may be spent by keys, by members, in projects, and by the organization. */
import { Elysia } from 'elysia';
import { checkValue } from '../../../../shared/http/check-value.ts';
import { authorized } from '../../../auth/authorize.ts';
import { checkQuery } from '../../../http/request/check-query.ts';
import {
  changeBudget,
  createBudget,
  deleteBudget,
  findBudget,
  listBudgets,
  parseBudgetId,
} from '../../../organizations/budgets.ts';
import type { AdminServices } from '../../../services.ts';
import { changeInTurn } from '../../keys/deliver-key.ts';
import { changeBudgetDocs, createBudgetDocs, deleteBudgetDocs, listBudgetsDocs } from './budget-docs.ts';
import {
  budgetParams,
  changeBudgetBody,
  newBudgetBody,
  parseBudgetChange,
  parseNewBudget,
  refuseAlertsOfKey,
  renderBudget,
} from './budget-schemas.ts';

export function budgetRoutes(services: AdminServices) {
  const { db } = services.database;
  return new Elysia({ prefix: '/api/budgets' })
    .use(authorized(services))
    .get(
      '',
      async ({ caller }) => ({ budgets: (await listBudgets(services, caller)).map(renderBudget) }),
      listBudgetsDocs,
    )
    .post(
      '',
      async ({ actor, body, caller, request: { signal }, set }) => {
        const { accountId } = caller;
        const budget = parseNewBudget(accountId, checkValue(newBudgetBody, body));
        await changeInTurn(services, { accountId, signal }, () => createBudget(db, actor, caller, budget));
        set.status = 201;
        return renderBudget(await findBudget(services, budget));
      },
      createBudgetDocs,
    )
    .put(
      '/:id',
      async ({ actor, body, caller, params, request: { signal } }) => {
        const { accountId } = caller;
        const change = parseBudgetChange(checkValue(changeBudgetBody, body));
        const place = parseBudgetId(accountId, checkQuery(budgetParams, params).id);
        if (change.alertsAt !== undefined) refuseAlertsOfKey(place.scope, change.alertsAt);
        await changeInTurn(services, { accountId, signal }, () => changeBudget(db, actor, caller, { place, change }));
        return renderBudget(await findBudget(services, place));
      },
      changeBudgetDocs,
    )
    .delete(
      '/:id',
      async ({ actor, caller, params, request: { signal }, set }) => {
        const { accountId } = caller;
        const place = parseBudgetId(accountId, checkQuery(budgetParams, params).id);
        await changeInTurn(services, { accountId, signal }, () => deleteBudget(db, actor, caller, place));
        set.status = 204;
      },
      deleteBudgetDocs,
    );
}
