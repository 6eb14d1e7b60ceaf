/** Refuses to limit a key to unknown models: a typo would silently lock its users out. */
import { inArray } from 'drizzle-orm';
import { GatewayError } from '../../shared/errors.ts';
import type { DbOrTransaction } from '../database/connect.ts';
import { modelPrices } from '../database/tables/catalogue.ts';

/** A model that was once in the catalogue and may return is known. Throws GatewayError with all unknown ones. */
export async function refuseUnknownModels(
  db: DbOrTransaction,
  models: readonly string[],
  param: string,
): Promise<void> {
  const rows = await db
    .select({ model: modelPrices.model })
    .from(modelPrices)
    .where(inArray(modelPrices.model, [...models]))
    .groupBy(modelPrices.model);
  const known = new Set(rows.map(({ model }) => model));
  const problems = models.flatMap((model, index) =>
    known.has(model)
      ? []
      : [
          {
            param: `${param}[${index}]`,
            code: 'invalid_parameter' as const,
            message: 'Unknown model. GET /v1/models lists all models.',
          },
        ],
  );
  const [first] = problems;
  if (first !== undefined) throw new GatewayError(first.code, first.message, { param: first.param, problems });
}
