/** The lines of an object, as it is read: no more of it is in memory than a line and a chunk. */

/** A line is longer than it may be. */
export class LineTooLong extends Error {
  override readonly name = 'LineTooLong';

  constructor(readonly line: number) {
    super(`line ${line} is too long`);
  }
}

const lineFeed = 0x0a;

/**
 * Without their line feeds; the last one need not have one. An empty line is a line. Throws LineTooLong, and TypeError if it is
 * not UTF-8.
 */
export async function* readLines(content: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let parts: Uint8Array[] = [];
  let bytes = 0;
  let line = 1;
  for await (const chunk of content) {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      if (bytes + end - start > maxBytes) throw new LineTooLong(line);
      parts.push(chunk.subarray(start, end));
      yield decoder.decode(parts.length === 1 ? parts[0] : Buffer.concat(parts));
      [parts, bytes, start] = [[], 0, end + 1];
      line += 1;
    }
    if (start < chunk.length) parts.push(chunk.subarray(start));
    bytes += chunk.length - start;
    if (bytes > maxBytes) throw new LineTooLong(line);
  }
  if (bytes > 0) yield decoder.decode(Buffer.concat(parts));
}
