/**
 * Briefly outlives the supervisor. Its standard input is a pipe held by the supervisor: when the pipe closes,
 * the supervisor is gone, for any reason, and every process still on its list is ended. After an orderly end
 * the list is empty and there is nothing to do.
 *
 * Runs in its own session, so that Ctrl-C does not reach it. Argument: the path of the list.
 */
import { endRecorded } from '../record.ts';

const [recordFile] = process.argv.slice(2);
if (recordFile === undefined) throw new Error('The guardian needs the path of the process list.');

await Bun.stdin.text();
await endRecorded(recordFile);
