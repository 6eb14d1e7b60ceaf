/** Loaded before the test files of a process: what they start is recorded, so that the run's guardian can end it. */
import { afterAll } from 'bun:test';
import { recordChildrenIn } from '../local/processes/child.ts';
import { endAllOfWorker } from './harness/of-worker.ts';

const { TEST_RECORDS: folder } = process.env;
if (folder !== undefined) recordChildrenIn(folder);

afterAll(endAllOfWorker);
