/** `bun run gateway …`: the operator's command line. */
import { useLocalEnvironment } from '../config/local-environment.ts';
import { runCommandLine } from './run-command-line.ts';

useLocalEnvironment();

/** Colours are for people: not for files and programs that read the output. */
const writer = (stream: NodeJS.WriteStream) => (text: string) =>
  new Promise<void>((resolve) => {
    stream.write(`${stream.isTTY ? text : Bun.stripANSI(text)}\n`, () => resolve());
  });

const exitCode = await runCommandLine(process.argv.slice(2), {
  aligned: process.stdout.isTTY,
  out: writer(process.stdout),
  problem: writer(process.stderr),
});
// Everything is written and closed; a timer of a client that could not connect would only delay the exit.
process.exit(exitCode);
