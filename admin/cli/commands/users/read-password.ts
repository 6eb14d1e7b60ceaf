/**
 * Reads a password from a prompt that does not echo, or from standard input if that is not a terminal. As an argument
 * it works too, but then it stays in the shell's history and is visible in the process list.
 */
import { UsageError } from '../../command.ts';

export const passwordArgument = {
  password: {
    type: 'string',
    description: 'Better omitted: it is prompted for, or read from standard input',
  },
} as const;

const fromStandardInput = '-';
const [endOfText, endOfTransmission, backspace, del] = ['\u0003', '\u0004', '\b', '\u007f'];
/** An arrow or a function key, which is not part of a password. */
const escapeCharacter = '\u001b';

/** Throws UsageError where there is none. */
export async function readPassword(given: string | undefined): Promise<string> {
  if (given !== undefined && given !== fromStandardInput) return given;
  const password = process.stdin.isTTY ? await promptTwice() : (await Bun.stdin.text()).replace(/\r?\n$/, '');
  if (password === '')
    throw new UsageError('A password is required: enter it at the prompt, or send it to standard input.');
  return password;
}

async function promptTwice(): Promise<string> {
  const lines = typedLines();
  // Before the prompt is printed, so that early keystrokes are not echoed either.
  process.stdin.setRawMode(true);
  try {
    const password = await prompt('Password: ', lines);
    if (password !== '' && (await prompt('Repeat password: ', lines)) !== password) {
      throw new UsageError('The passwords do not match.');
    }
    return password;
  } finally {
    await lines.return(undefined);
    process.stdin.setRawMode(false);
  }
}

/** On standard error, because standard output is for the result. */
async function prompt(question: string, lines: AsyncGenerator<string>): Promise<string> {
  process.stderr.write(question);
  const line = await lines.next();
  process.stderr.write('\n');
  if (line.done) throw new UsageError('No password was given.');
  return line.value;
}

/** The typed lines; ends with Ctrl-C and Ctrl-D. */
async function* typedLines(): AsyncGenerator<string, void> {
  let line = '';
  for await (const typed of process.stdin.setEncoding('utf8')) {
    if (String(typed).startsWith(escapeCharacter)) continue;
    for (const character of String(typed)) {
      if (character === endOfText || character === endOfTransmission) return;
      if (character === '\r' || character === '\n') {
        yield line;
        line = '';
      } else if (character === backspace || character === del) line = [...line].slice(0, -1).join('');
      else line += character;
    }
  }
}
