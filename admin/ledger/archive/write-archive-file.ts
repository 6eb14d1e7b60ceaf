/**
 * The file of an archived month: its blocks one after the other, which is a valid gzip file of JSON lines, and beside it
 * the checksum in the form of `sha256sum`. Each block is unpacked and counted on the way, so that a file proves its archive.
 */
import { open, rename, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Sql } from 'postgres';
import { counted } from '../../../shared/counted.ts';
import { type ArchiveSums, unpackRequests } from './archived-requests.ts';

const blocksAtOnce = 20;
const ownerOnly = 0o600;

/** Returns the checksum. Throws if the blocks are not what was counted; then there is no file. */
export async function writeArchiveFile(
  sql: Sql,
  { month, file, expected }: { month: string; file: string; expected: ArchiveSums },
): Promise<string> {
  const draft = `${file}.part`;
  const hash = new Bun.CryptoHasher('sha256');
  const output = await open(draft, 'w', ownerOnly);
  let [requests, events, chargedNano] = [0, 0, 0n];
  try {
    const blocks = sql<{ content: Buffer }[]>`
      SELECT content FROM archived_usage WHERE month = ${month} ORDER BY first_id`;
    for await (const rows of blocks.cursor(blocksAtOnce)) {
      for (const { content } of rows) {
        const unpacked = unpackRequests(content);
        requests += unpacked.length;
        events += unpacked.reduce((sum, request) => sum + request.events.length, 0);
        chargedNano += unpacked.reduce((sum, { head }) => sum + BigInt(String(head.charged_nano)), 0n);
        hash.update(content);
        await output.write(content);
      }
    }
    await output.sync();
  } finally {
    await output.close();
  }
  if (requests !== expected.requests || events !== expected.events || chargedNano !== expected.chargedNano) {
    throw new Error(
      `the archive of ${month} cannot be read back: ${counted(requests, 'request')}, ${counted(events, 'event')}`,
    );
  }
  const sha256 = hash.digest('hex');
  await rename(draft, file);
  await writeFile(`${file}.sha256`, `${sha256}  ${basename(file)}\n`, { mode: ownerOnly });
  return sha256;
}
