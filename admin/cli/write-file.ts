/** Writes what a command exports into a file, as it is made. */
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { DetailedError } from './describe-failure.ts';

/** Exports are private to the customer. */
const ownerOnly = 0o600;

/** Throws DetailedError `file_unwritable`. */
export async function writeFile(path: string, chunks: AsyncIterable<string | Uint8Array>): Promise<void> {
  const stream = createWriteStream(path, { mode: ownerOnly });
  const opened = Promise.withResolvers<void>();
  stream.once('open', () => opened.resolve());
  stream.once('error', (error) => {
    opened.reject(
      new DetailedError('file_unwritable', `${path} cannot be written: ${error.message}`, { param: 'file' }),
    );
  });
  await opened.promise;
  await pipeline(chunks, stream);
}
