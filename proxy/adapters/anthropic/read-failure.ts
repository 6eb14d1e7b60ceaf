/** Error answers: `{"type": "error", "error": {"type", "message"}}`. */
import type { ProviderFailure } from '../adapter.ts';

const ourFaults: ReadonlySet<unknown> = new Set(['authentication_error', 'permission_error', 'billing_error']);

export function readFailure(body: string): ProviderFailure {
  try {
    const value: unknown = JSON.parse(body);
    const error = typeof value === 'object' && value !== null && 'error' in value ? value.error : value;
    return { message: errorMessageOf(error), refusesGateway: refusesGateway(error) };
  } catch {
    return { message: undefined };
  }
}

/** An empty account is told with status 400, as if the request were wrong. */
function refusesGateway(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || !('type' in error)) return false;
  return ourFaults.has(error.type) || /credit balance is too low/i.test(errorMessageOf(error) ?? '');
}

/** The message of the inner object; its type where there is none. */
export function errorMessageOf(error: unknown): string | undefined {
  if (typeof error === 'string') return error;
  if (typeof error !== 'object' || error === null) return undefined;
  if ('message' in error && typeof error.message === 'string' && error.message !== '') return error.message;
  return 'type' in error && typeof error.type === 'string' ? error.type : undefined;
}
