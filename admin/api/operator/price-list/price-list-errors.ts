/** Why a price list cannot be compared, or a difference cannot be taken over. */
import { GatewayError } from '../../../../shared/errors.ts';
import { largeFactor } from '../../../catalogue/published-lists/compare-with-list.ts';

export function listNotConfigured(): GatewayError {
  const message = 'CATALOGUE_SYNC_URL is not set, so the list has to be sent.';
  return new GatewayError('missing_parameter', message, { param: 'list' });
}

export function listUnavailable(cause?: unknown): GatewayError {
  const reason = cause instanceof Error ? `: ${cause.message}` : '';
  return new GatewayError('price_list_unavailable', `The price list cannot be fetched now${reason}.`, {
    retryAfterSeconds: 60,
  });
}

export function noLongerDifferent(model: string, field: string, index: number): GatewayError {
  return new GatewayError(
    'catalogue_changed',
    `The list no longer says this about ${field} of ${model}, or the catalogue says it too. Compare again.`,
    { param: `changes[${index}]` },
  );
}

export function notConfirmed(index: number): GatewayError {
  const message = `This price differs by more than ${largeFactor} times. Confirm it on its own.`;
  return new GatewayError('price_not_confirmed', message, { param: `changes[${index}].confirmed` });
}
