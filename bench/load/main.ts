/** The load generator as a separate process: runs the bench's jobs, several at a time if requested. */
import type { JobMessage, ResultMessage } from './job.ts';
import { runJob } from './run-job.ts';

process.on('message', ({ id, job }: JobMessage) => {
  runJob(job).then(
    (result) => respond({ id, result }),
    (error: unknown) => respond({ id, problem: String(error) }),
  );
});
process.on('disconnect', () => process.exit(0));

function respond(message: ResultMessage): void {
  process.send?.(message);
}
