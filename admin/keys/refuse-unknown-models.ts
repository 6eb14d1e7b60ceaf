/** Makes sure that a key is limited to models that there are: a typo would lock its user out without a word. */
import { inArray } from 'drizzle-orm';
import { GatewayError } from '../../shared/errors.ts';
import { modelPrices } from '../../shared/tables/catalogue.ts';
import type { DbOrTransaction } from '../database/connect.ts';

/** A model that the catalogue once had and may have again is known. Throws GatewayError with all that are not. */
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
            message: 'There is no such model; GET /v1/models lists all.',
          },
        ],
  );
  const [first] = problems;
  if (first !== undefined) throw new GatewayError(first.code, first.message, { param: first.param, problems });
}
