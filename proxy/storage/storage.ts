/** Files and batches, in the place that the operator has configured, and the sweep that removes what has expired. */
import type { FilesConfig } from '../../shared/config/files.ts';
import type { Log } from '../../shared/log.ts';
import { openStore } from '../../shared/objects/open-store.ts';
import { Batches } from './batches.ts';
import { Files } from './files.ts';
import { SealedObjects } from './sealed-objects.ts';

export interface Storage {
  readonly files: Files;
  readonly batches: Batches;
  /** Removes what was begun to be written and never finished. */
  tidy(): Promise<void>;
}

const sweepEveryMs = 24 * 60 * 60 * 1_000;
/** Replicas that start together do not sweep together. */
const firstSweepMs = 5 * 60 * 1_000;

export function openStorage({ place, secrets, maxBytes }: FilesConfig): Storage {
  const store = openStore(place);
  const objects = new SealedObjects(store, secrets);
  return { files: new Files(objects, { maxBytes }), batches: new Batches(objects), tidy: () => store.tidy() };
}

/** Returns what stops it. */
export function startSweeps(storage: Storage, log: Log): () => void {
  const sweep = () =>
    void sweepStorage(storage, Date.now()).catch((error: unknown) => log.warn({ err: error }, 'storage not swept'));
  const first = setTimeout(sweep, firstSweepMs * (1 + Math.random()));
  const daily = setInterval(sweep, sweepEveryMs);
  return () => {
    clearTimeout(first);
    clearInterval(daily);
  };
}

/** Removes what has expired. Any number of replicas may do it at the same time. */
export async function sweepStorage({ files, batches, tidy }: Storage, nowMs: number): Promise<void> {
  await files.sweep(nowMs);
  await batches.sweep(nowMs);
  await tidy();
}
