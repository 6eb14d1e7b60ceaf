/** The way in of requests for files and batches: whose they are, and the storage, whose failures become errors. */
import { GatewayError } from '../../../shared/errors.ts';
import { isStorageFailure } from '../../../shared/objects/object-store.ts';
import { readStatus } from '../../request/admission/read-status.ts';
import type { Incoming } from '../../request/relay.ts';
import type { ProxyServices } from '../../request/services.ts';
import type { Storage } from '../../storage/storage.ts';

const retryAfterSeconds = 5;

export interface Entered extends Storage {
  readonly accountId: number;
}

/**
 * Every request asks Redis whether its key may be used now, and counts as a request. Throws GatewayError: 401 or 403 for the key,
 * 404 `files_unavailable`, 429 for its limit of requests, 503 if the wallet or the storage is unreachable.
 */
export async function enterStorage<Result>(
  services: ProxyServices,
  incoming: Incoming,
  work: (entered: Entered) => Promise<Result>,
): Promise<Result> {
  const { accountId } = await readStatus(services, incoming, { spending: false });
  const { storage } = services;
  if (storage === undefined) throw filesUnavailable();
  try {
    return await work({ ...storage, accountId });
  } catch (error) {
    throw isStorageFailure(error) ? storageUnavailable(error) : error;
  }
}

export function filesUnavailable(): GatewayError {
  return new GatewayError('files_unavailable', 'This gateway stores no files, and so runs no batches.');
}

export function storageUnavailable(cause?: unknown): GatewayError {
  return new GatewayError('storage_unavailable', 'The storage of files is currently unavailable. Please retry.', {
    retryAfterSeconds,
    cause,
  });
}
