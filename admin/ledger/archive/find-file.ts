/** The file of a month, and whether it is still the one that was archived. */
import type { Sql } from 'postgres';
import type { ObjectStore } from '../../../shared/objects/object-store.ts';

export interface MonthFile {
  readonly name: string;
  readonly bytes: number;
  /** In hexadecimal. */
  readonly sha256: string;
}

/** Undefined if the month is not archived, nothing was charged in it, or it is in blocks. */
export async function findFile(sql: Sql, month: string): Promise<MonthFile | undefined> {
  const [row] = await sql<{ file: string; file_bytes: string; sha256: string }[]>`
    SELECT file, file_bytes, sha256 FROM archived_months
    WHERE month = ${month} AND file IS NOT NULL AND finished_at IS NOT NULL`;
  return row && { name: row.file, bytes: Number(row.file_bytes), sha256: row.sha256 };
}

/** A sentence; undefined if the file is what was archived. */
export async function problemOfFile(
  store: ObjectStore,
  { name, bytes, sha256 }: MonthFile,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const content = await store.read(name);
  if (content === undefined) return `${name} is missing.`;
  const hash = new Bun.CryptoHasher('sha256');
  let read = 0;
  for await (const chunk of content) {
    signal?.throwIfAborted();
    hash.update(chunk);
    read += chunk.byteLength;
  }
  if (read === bytes && hash.digest('hex') === sha256) return undefined;
  return `${name} is not the file that was archived: ${read} bytes instead of ${bytes}, or others.`;
}
