/** Loaded before each test file of a run: what tests start is recorded, so that the run's guardian can end it. */
import { recordChildrenIn } from '../local/processes/child.ts';

const { TEST_RECORDS: folder } = process.env;
if (folder !== undefined) recordChildrenIn(folder);
