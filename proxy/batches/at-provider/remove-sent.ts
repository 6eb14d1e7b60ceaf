/**
 * Removes from providers what they keep of lines that were sent to them, once these have been read. What cannot be removed yet, since
 * the provider does not respond or has not ended its batch, stays written down, and a later look removes it.
 */
import { UpstreamFailure } from '../../nouns/upstream-failure.ts';
import type { BatchApi } from '../../providers/batch-api.ts';
import type { ProxyServices } from '../../request/services.ts';
import type { Batches, StoredSentLines } from '../../storage/batches.ts';
import { findBatchApi } from './find-batch-api.ts';

interface Removal {
  readonly services: Pick<ProxyServices, 'credentials' | 'catalogue' | 'log'>;
  readonly batches: Batches;
}

/** Of batches that have ended. Any number of replicas may do it at the same time. Rejects if the storage fails. */
export async function removeSentOfEnded(removal: Removal): Promise<void> {
  await removeSent(removal, await removal.batches.listSentOfEnded());
}

export async function removeSent({ services, batches }: Removal, sent: readonly StoredSentLines[]): Promise<void> {
  for (const each of sent) {
    const { deployment, providerBatchId } = each;
    try {
      const api = findBatchApi(services, deployment)?.api;
      if (api !== undefined && (await isRemoved(api, providerBatchId))) await batches.removeSent(each);
    } catch (error) {
      services.log.warn({ deployment, providerBatchId, err: error }, 'a provider keeps files of a batch');
    }
  }
}

/** One that has not ended is cancelled. */
async function isRemoved(api: BatchApi, id: string): Promise<boolean> {
  try {
    if (await api.hasEnded(id)) {
      await api.remove(id);
      return true;
    }
    await api.cancel(id);
    return false;
  } catch (error) {
    if (error instanceof UpstreamFailure && error.status === 404) return true;
    throw error;
  }
}
