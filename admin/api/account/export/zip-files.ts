/**
 * Files as a zip archive, made while it is read: neither the archive nor a file of it is ever whole in memory, and
 * Postgres is asked only for what the reader is about to take.
 */
import { configure, ZipWriter } from '@zip.js/zip.js';
import { streamText } from '../../../http/download.ts';
import type { ExportFile } from './export-file.ts';

// Archives are compressed in this thread, by the runtime's own code. By default the library still processes only as many at
// once as there are cores, so slow readers would block the others. The caller limits the number of exports.
configure({ useWebWorkers: false, maxWorkers: Number.MAX_SAFE_INTEGER });

interface ZipOptions {
  /** When the files were written, as the archive says it. */
  readonly at: Date;
  /** Breaks the archive off. Without its directory, which comes last, no program takes it for a whole one. */
  readonly signal: AbortSignal;
  /** Called once at the end: with the error that interrupted the archive, or undefined if it is complete. */
  onEnd(failure: unknown): void;
}

export function zipFiles(
  files: readonly ExportFile[],
  { at, signal, onEnd }: ZipOptions,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>();
  const reader = readable.getReader();
  const broken = new AbortController();
  const stop = AbortSignal.any([signal, broken.signal]);
  const cut = () => void reader.cancel(stop.reason).catch(() => {});
  stop.addEventListener('abort', cut, { once: true });
  writeArchive(files, { writable, at, signal: stop }).then(
    () => onEnd(undefined),
    (error: unknown) => {
      broken.abort(error);
      onEnd(stop.reason);
    },
  );
  return new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await reader.read();
      // A reader that was cut says that it is done.
      stop.throwIfAborted();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => broken.abort(reason ?? new Error('the client has disconnected')),
  });
}

interface Archive {
  readonly writable: WritableStream<Uint8Array<ArrayBuffer>>;
  readonly at: Date;
  readonly signal: AbortSignal;
}

async function writeArchive(files: readonly ExportFile[], { writable, at, signal }: Archive): Promise<void> {
  const archive = new ZipWriter(writable, { lastModDate: at });
  for (const file of files) await archive.add(file.name, await streamText(chunksOf(file, signal)));
  await archive.close();
}

async function* chunksOf(file: ExportFile, signal: AbortSignal): AsyncGenerator<string, void> {
  for await (const chunk of file.chunks()) {
    signal.throwIfAborted();
    yield chunk;
  }
}
