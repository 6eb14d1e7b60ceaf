/**
 * Runs work on a stage and always tears it down. A signal ends the work, and not immediately the process, because the servers
 * run in their own sessions and nothing else would end them.
 */
import { type SetStage, type StageOptions, setStage } from './set-stage.ts';

const interruptedExitCode = 130;

/** Resolves to an exit code: that of the work, or 130 if a signal came first. */
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
    // Then the running measurement fails, and every scenario stops what it has started.
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
