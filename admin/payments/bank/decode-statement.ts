/**
 * The text of a bank statement's bytes. Banks write Windows-1251 or CP866 and say so in the file; some programs convert the
 * file to UTF-8 and leave that line as it was. So valid UTF-8 is UTF-8, and otherwise the file's own word counts.
 */
import { BankStatementError } from './statement-error.ts';

const declarations = { Windows: 'windows-1251', DOS: 'ibm866' } as const;
const declaration = /^Кодировка=(.*?)\r?$/m;

/** Throws BankStatementError. */
export function decodeStatement(bytes: Uint8Array): string {
  const utf8 = decodeStrictly(bytes);
  if (utf8 !== undefined) return utf8;
  for (const [name, encoding] of Object.entries(declarations)) {
    const text = new TextDecoder(encoding).decode(bytes);
    if (declaration.exec(text)?.[1]?.trim() === name) return text;
  }
  throw new BankStatementError([
    { line: undefined, message: 'the file is not UTF-8, and says neither Кодировка=Windows nor Кодировка=DOS' },
  ]);
}

function decodeStrictly(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
