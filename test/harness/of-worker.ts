/**
 * What the test files of a worker share, because it is expensive to start and keeps no state of them: started when the
 * first file requests it. The run's guardian ends it; for files that are run without `test/run.ts`, `preload.ts` does.
 */
const kept = new Map<string, Promise<AsyncDisposable>>();

/** One for each name. */
export function ofWorker<Kept extends AsyncDisposable>(name: string, start: () => Promise<Kept>): Promise<Kept> {
  const found = kept.get(name);
  // A name belongs to one caller.
  if (found !== undefined) return found as Promise<Kept>;
  const started = start();
  kept.set(name, started);
  // A failure is the caller's; the next file tries again.
  started.catch(() => kept.delete(name));
  return started;
}

export async function endAllOfWorker(): Promise<void> {
  const all = [...kept.values()];
  kept.clear();
  const ends = await Promise.allSettled(all.map(async (started) => (await started)[Symbol.asyncDispose]()));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
