/** Renders errors in the shape and with the types of this API format. The gateway's own code is an additional member. */
import type { GatewayError } from '../../../../shared/errors.ts';
import type { MessageError } from '../message-schemas.ts';

const typeByStatus: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
};

export function renderMessageError(error: GatewayError, requestId: string): MessageError {
  const { code, message, param } = error;
  return {
    type: 'error',
    error: { type: typeOf(error), message, code, ...(param === null ? {} : { param }) },
    request_id: requestId,
  };
}

function typeOf({ status, type }: GatewayError): string {
  if (type === 'billing_error') return type;
  return typeByStatus[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
}
