/** The other side of `Threads`: handles one task after the other, below the priority of the thread that serves. */
import { setPriority } from 'node:os';

declare const self: Worker;

export type Outcome<Result> = { readonly result: Result } | { readonly failure: unknown };

/** To be called once in the script of a thread. `work` may throw. */
export function handleTasks<Task, Result>(work: (task: Task) => Result | Promise<Result>): void {
  // Elsewhere it would be the priority of the whole process.
  if (process.platform === 'linux') setPriority(10);
  self.onmessage = async ({ data: task }: MessageEvent<Task>) => {
    self.postMessage(await outcomeOf(work, task));
  };
}

async function outcomeOf<Task, Result>(
  work: (task: Task) => Result | Promise<Result>,
  task: Task,
): Promise<Outcome<Result>> {
  try {
    return { result: await work(task) };
  } catch (failure) {
    return { failure };
  }
}
