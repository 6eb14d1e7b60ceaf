/**
 * Outlives the supervisor by a moment. Its standard input is a pipe that the supervisor holds: when the pipe closes,
 * the supervisor is gone, in whatever way, and every process that is still on its list is ended. After an orderly end
 * the list is empty and there is nothing to do.
 *
 * Started in a session of its own, so that no Ctrl-C reaches it. Argument: the path of the list.
 */
import { endRecorded } from '../record.ts';

const [recordFile] = process.argv.slice(2);
if (recordFile === undefined) throw new Error('The guardian needs the path of the process list.');

await Bun.stdin.text();
await endRecorded(recordFile);
