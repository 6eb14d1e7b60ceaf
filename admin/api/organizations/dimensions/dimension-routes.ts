/** /api/organization/dimensions: what the usage of the organization is attributed to. */
import { Elysia } from 'elysia';
import { checkValue } from '../../../../shared/http/check-value.ts';
import { authorized } from '../../../auth/authorize.ts';
import { listDimensions } from '../../../ledger/queries/charged-dimensions.ts';
import { changeDimensions } from '../../../organizations/dimensions.ts';
import type { AdminServices } from '../../../services.ts';
import { changeInTurn } from '../../keys/deliver-key.ts';
import { changeDimensionsDocs, getDimensionsDocs } from './dimension-docs.ts';
import { changeDimensionsBody, noDimensionChange, renderDimensionSettings } from './dimension-schemas.ts';

export function dimensionRoutes(services: AdminServices) {
  const { db } = services.database;
  const read = async (accountId: number) => renderDimensionSettings(await listDimensions(db, accountId));
  return new Elysia({ prefix: '/api/organization/dimensions' })
    .use(authorized(services))
    .get('', ({ caller }) => read(caller.accountId), getDimensionsDocs)
    .put(
      '',
      async ({ actor, body, caller, request: { signal } }) => {
        const { accountId } = caller;
        const change = checkValue(changeDimensionsBody, body);
        if (Object.keys(change).length === 0) throw noDimensionChange();
        await changeInTurn(services, { accountId, signal }, () => changeDimensions(db, actor, caller, change));
        return read(accountId);
      },
      changeDimensionsDocs,
    );
}
