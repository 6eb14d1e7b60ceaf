/**
 * Works on a set stage and takes it down whatever happens. A signal ends the work, never the process at once: the servers
 * have sessions of their own, and nobody else would end them.
 */
import { type SetStage, type StageOptions, setStage } from './set-stage.ts';

const interruptedExitCode = 130;

/** Resolves to an exit code: that of the work, or 130 where a signal came first. */
export async function onStage(
  options: StageOptions,
  work: (set: SetStage, signal: AbortSignal) => Promise<number>,
): Promise<number> {
  const interruption = new AbortController();
  const { signal } = interruption;
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => interruption.abort());
  const set = await setStage(options);
  try {
    signal.throwIfAborted();
    // What is measured fails then, and every scenario stops what it has started.
    signal.addEventListener('abort', () => void set.stage.load.stop());
    const exitCode = await work(set, signal);
    return signal.aborted ? interruptedExitCode : exitCode;
  } catch (error) {
    if (!signal.aborted) throw error;
    return interruptedExitCode;
  } finally {
    await set.stop();
  }
}
