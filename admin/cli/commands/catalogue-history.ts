/** `gateway catalogue history`: every price that a model has had. */
import { GatewayError } from '../../../shared/errors.ts';
import { type PriceVersion, readPriceHistory } from '../../catalogue/price-history.ts';
import { command } from '../command.ts';
import { withDatabase } from '../with-database.ts';

export const catalogueHistory = command({
  description: 'Show every price that a model has had, newest first',
  args: { model: { type: 'positional', required: true, description: 'The id of the model' } },
  run: ({ model }) =>
    withDatabase(async ({ db }) => {
      const prices = await readPriceHistory(db, model);
      if (prices.length === 0) {
        throw new GatewayError('model_not_found', `There never was a model ${model}.`, { param: 'model' });
      }
      return { text: prices.map(describeVersion).join('\n'), object: { model, prices } };
    }),
});

function describeVersion({ version, effectiveFrom, markup, listed, provider }: PriceVersion): string {
  const classes = (['prompt', 'cachedPrompt', 'cacheWrite', 'completion', 'reasoning'] as const).map(
    (name) => `${name} $${listed[name]} (of $${provider[name]})`,
  );
  return `${version}\t${effectiveFrom}\t× ${markup}\t${classes.join(', ')}`;
}
