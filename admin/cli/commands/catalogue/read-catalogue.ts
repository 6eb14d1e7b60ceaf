/** Reads a catalogue file that an operator names, and reports every mistake in it. */
import type { CatalogueFile } from '../../../catalogue/catalogue-file.ts';
import { readCatalogueFile } from '../../../catalogue/read-catalogue-file.ts';
import { loadCommandConfig } from '../../../config/admin.ts';
import { DetailedError } from '../../describe-failure.ts';

export const fileArgument = {
  file: { type: 'positional', required: true, description: 'The catalogue file' },
} as const;

/** Throws ConfigurationError, and DetailedError `file_unreadable` or `invalid_catalogue`. */
export async function readCatalogue(path: string): Promise<CatalogueFile> {
  const { listedKeys } = loadCommandConfig(['listedKeys']);
  const result = readCatalogueFile(await readText(path), listedKeys);
  if (result.ok) return result.file;
  const list = result.problems.map((problem) => `  - ${problem}`).join('\n');
  throw new DetailedError('invalid_catalogue', `${path} is invalid:\n${list}`, { problems: result.problems });
}

async function readText(path: string): Promise<string> {
  try {
    return await Bun.file(path).text();
  } catch (error) {
    throw new DetailedError('file_unreadable', `${path} cannot be read: ${String(error)}`, { param: 'file' });
  }
}
