/** Whose fault a provider's error is, by its status. */

/**
 * `client`: the request is at fault, and the client gets the provider's message. `operator`: the gateway's key, account
 * or catalogue is at fault, and the provider's message goes only to the log. `provider`: neither.
 */
export type Blame = 'client' | 'operator' | 'provider';

const clientFaults: ReadonlySet<number> = new Set([400, 413, 422]);
/** A 404 means that the catalogue names a model or URL that the provider does not have. */
const operatorFaults: ReadonlySet<number> = new Set([401, 402, 403, 404]);
/** Anything else that is not found was named by the client: a file, by its URL. */
const mentionsFile = /\bfiles?\b/i;

export function blameFor(status: number, message: string | undefined): Blame {
  if (status === 404 && mentionsFile.test(message ?? '')) return 'client';
  if (clientFaults.has(status)) return 'client';
  return operatorFaults.has(status) ? 'operator' : 'provider';
}
