/** Whose mistake a provider's error is, by its status. */

/**
 * `client`: the request is at fault, and its sender is told what the provider says. `operator`: our key, our account or
 * the catalogue is; what the provider says of those is for the log. `provider`: neither.
 */
export type Blame = 'client' | 'operator' | 'provider';

const clientFaults: ReadonlySet<number> = new Set([400, 413, 422]);
/** A 404 is a model or an address in the catalogue that the provider does not have. */
const operatorFaults: ReadonlySet<number> = new Set([401, 402, 403, 404]);
/** The one thing besides these that may be missing at a provider is named by the client. */
const speaksOfFile = /\bfiles?\b/i;

export function blameFor(status: number, message: string | undefined): Blame {
  if (status === 404 && speaksOfFile.test(message ?? '')) return 'client';
  if (clientFaults.has(status)) return 'client';
  return operatorFaults.has(status) ? 'operator' : 'provider';
}
