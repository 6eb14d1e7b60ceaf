/** Everything about an account as one zip archive, for its user, or for an operator who handles their request. */
import type { Ledger } from '../../../ledger/ledger.ts';
import { type ExportFile, textFile } from './export-file.ts';
import { type ExportInput, readExportFiles } from './export-files.ts';
import { zipFiles } from './zip-files.ts';

interface ExportEnding {
  readonly signal: AbortSignal;
  /** Called once: with what broke the archive off, or undefined where it is whole. */
  onEnd(failure: unknown): void;
}

/** What can fail before the first byte throws here, so that it can be answered as an error; then `onEnd` is not called. */
export async function exportAccount(
  ledger: Ledger,
  input: ExportInput,
  ending: ExportEnding,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const files = await readExportFiles(ledger, input);
  return zipFiles([readme(files, input), ...files], { at: input.at, ...ending });
}

function readme(files: readonly ExportFile[], { accountId, at }: ExportInput): ExportFile {
  const width = Math.max(...files.map(({ name }) => name.length)) + 2;
  const text = [
    `Export of account ${accountId}`,
    `Made ${at.toISOString()}`,
    '',
    ...files.map(({ name, about }) => `${name.padEnd(width)}${about}`),
    '',
    'Times are UTC, in ISO 8601. Amounts are exact decimals; the name states the currency if no column does.',
    'CSV is RFC 4180 in UTF-8. Text that a spreadsheet would interpret as a formula begins with an apostrophe.',
    'The balance and the lists are read one after the other: a charge booked in between may be in some and not',
    'in others. Prompts and responses are not stored, so they are not included.',
    '',
  ].join('\n');
  return textFile('README.txt', 'What each file is.', text);
}

export const exportsRefusal = 'Too many exports. Try again later.';
