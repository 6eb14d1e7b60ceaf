/** `bun run gateway …`: the operator's command line. */
import { runCommandLine } from './run-command-line.ts';

/** Colours are for people: not for files and programs that read the output. */
const write = (stream: NodeJS.WriteStream) => (text: string) => {
  stream.write(`${stream.isTTY ? text : Bun.stripANSI(text)}\n`);
};

process.exitCode = await runCommandLine(process.argv.slice(2), {
  out: write(process.stdout),
  problem: write(process.stderr),
});
