/** `npm test`: installs what is missing, then runs every test; arguments are passed on to the test runner. */
import { ensureInstalled } from './install.mjs';
import { runBun } from './run.mjs';

ensureInstalled();
runBun(['test/run.ts', ...process.argv.slice(2)]);
