/** /api/budgets: what may be spent by keys, by members, in projects, and by the organization. */
import { Elysia } from 'elysia';
import { checkValue } from '../../../../shared/http/check-value.ts';
import { authorized } from '../../../auth/authorize.ts';
import { checkQuery } from '../../../http/request/check-query.ts';
import {
  type BudgetPlace,
  changeBudget,
  createBudget,
  deleteBudget,
  findBudget,
  listBudgets,
  parseBudgetId,
} from '../../../organizations/budgets.ts';
import type { AdminServices } from '../../../services.ts';
import { deliverChange } from '../../keys/deliver-key.ts';
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
      async ({ actor, body, caller, set }) => {
        const budget = parseNewBudget(caller.accountId, checkValue(newBudgetBody, body));
        await createBudget(db, actor, caller, budget);
        set.status = 201;
        return afterChange(services, budget);
      },
      createBudgetDocs,
    )
    .put(
      '/:id',
      async ({ actor, body, caller, params }) => {
        const change = parseBudgetChange(checkValue(changeBudgetBody, body));
        const place = parseBudgetId(caller.accountId, checkQuery(budgetParams, params).id);
        if (change.alertsAt !== undefined) refuseAlertsOfKey(place.scope, change.alertsAt);
        await changeBudget(db, actor, caller, { place, change });
        return afterChange(services, place);
      },
      changeBudgetDocs,
    )
    .delete(
      '/:id',
      async ({ actor, caller, params, set }) => {
        const place = parseBudgetId(caller.accountId, checkQuery(budgetParams, params).id);
        await deleteBudget(db, actor, caller, place);
        await deliverChange(services, { accountId: caller.accountId, kind: 'proxy' });
        set.status = 204;
      },
      deleteBudgetDocs,
    );
}

/** Once it is in force on every replica. */
async function afterChange(services: AdminServices, place: BudgetPlace) {
  await deliverChange(services, { accountId: place.scope.accountId, kind: 'proxy' });
  return renderBudget(await findBudget(services, place));
}
