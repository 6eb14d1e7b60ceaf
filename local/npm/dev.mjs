/**
 * Runs a program that tests or measures, with its arguments: `npm test`, and what package.json calls it for. Installs what is
 * missing, also the packages that only such programs use.
 */
import { ensureInstalled } from './install.mjs';
import { runBun } from './run.mjs';

ensureInstalled('all');
runBun(process.argv.slice(2));
