/** Loaded before the test files of a process: what they start is recorded, so that the run's guardian can end it. */
import { afterAll } from 'bun:test';
import { recordChildrenIn } from '../local/processes/child.ts';
import { sharePortsIn } from '../local/servers/ports.ts';
import { endAllOfWorker } from './harness/of-worker.ts';

const { TEST_RECORDS: folder } = process.env;
// Without a run, this process is the only one. In a worker, this would be called after each file.
if (folder === undefined) afterAll(endAllOfWorker);
else {
  recordChildrenIn(folder);
  sharePortsIn(folder);
}
