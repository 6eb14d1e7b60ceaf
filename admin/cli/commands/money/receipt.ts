/** `gateway receipt`: what a request was charged, and how the charge was calculated. */
import { counted } from '../../../../shared/counted.ts';
import { checkValue } from '../../../../shared/http/check-value.ts';
import { billableUnits } from '../../../../shared/usage/billable-units.ts';
import { formatVariant } from '../../../../shared/usage/image-prices.ts';
import { usualTier } from '../../../../shared/usage/rates.ts';
import { renderOperatorReceipt } from '../../../api/money/render-request.ts';
import { requestParams } from '../../../api/money/requests-schemas.ts';
import { foundReceipt, readReceipt } from '../../../ledger/queries/read-receipt.ts';
import { command } from '../../command.ts';
import { withDatabase } from '../../with-database.ts';

export const receipt = command({
  description: 'Show what a request was charged, and how it was calculated',
  args: { request: { type: 'positional', required: true, description: 'Its x-request-id' } },
  run: ({ request }) => {
    const { requestId } = checkValue(requestParams, { requestId: request });
    return withDatabase(async (database) => {
      const rendered = renderOperatorReceipt(foundReceipt(await readReceipt(database, { requestId }), requestId));
      return { text: describeReceipt(rendered).join('\n'), object: rendered };
    });
  },
});

function describeReceipt(of: ReturnType<typeof renderOperatorReceipt>): string[] {
  const { cost, price, key, correctedFrom } = of;
  const note = of.final ? (of.estimated ? ', estimated' : '') : ', an estimate that may be corrected';
  return [
    `Request ${of.requestId} of account ${of.accountId}, key ${key.id} (${key.prefix ?? 'unknown'}…)`,
    `${of.model} by ${of.deployment || 'no deployment'}, started ${of.startedAt}, charged ${of.chargedAt}${note}`,
    ...(of.repeats === null ? [] : [`Answered with the stored response to request ${of.repeats}`]),
    `Price ${price.version} since ${price.effectiveFrom}, markup ${of.markup}${describeRate(cost.rate)}`,
    ...cost.parts.map(
      (part) => `  ${part.class.padEnd(12)} ${part.tokens} × $${part.perMillionTokens} per million = $${part.amount}`,
    ),
    ...(cost.images === null ? [] : [describeImages(cost.images)]),
    ...cost.units.map(
      ({ unit, count, price: each, amount }) => `  ${unit.padEnd(12)} ${count} × $${each} = $${amount}`,
    ),
    `Exact $${cost.exact} + rounding $${cost.rounding} = $${cost.total}; uncharged $${cost.uncharged}`,
    `Charged $${of.charged}, transactions ${of.transactions.map(({ id }) => id).join(', ') || 'none'}`,
    ...(correctedFrom === null ? [] : [`Corrected from $${correctedFrom.charged}, charged ${correctedFrom.chargedAt}`]),
    `Balance after $${of.balanceAfter}`,
  ];
}

function describeRate(rate: ReturnType<typeof renderOperatorReceipt>['cost']['rate']): string {
  if (rate === null) return '';
  const tier = rate.serviceTier === usualTier ? [] : [`service tier ${rate.serviceTier}`];
  const step = rate.abovePromptTokens === 0 ? [] : [`prompt above ${counted(rate.abovePromptTokens, 'token')}`];
  return `, ${[...tier, ...step].join(', ')}`;
}

function describeImages(images: NonNullable<ReturnType<typeof renderOperatorReceipt>['cost']['images']>): string {
  const { count, perImage, amount } = images;
  return `  ${billableUnits.images.label.padEnd(12)} ${count} × $${perImage} for ${formatVariant(images)} = $${amount}`;
}
