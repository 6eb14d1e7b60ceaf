/**
 * A file that shows every change of something generated. It is compared, and written only by whoever says so:
 * `UPDATE_SNAPSHOTS=1 npm test …`, and then looks at the difference.
 */
import { expect } from 'bun:test';

export async function expectSnapshot(path: string, value: object): Promise<void> {
  const text = `${JSON.stringify(value, null, 2)}\n`;
  if (process.env.UPDATE_SNAPSHOTS === '1') await Bun.write(path, text);
  const kept = await Bun.file(path).text();
  if (kept === text) return;
  // Shows what differs, where it is more than the form of the file.
  expect(value).toEqual(JSON.parse(kept));
  expect(text).toBe(kept);
}
