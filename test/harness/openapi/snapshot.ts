/**
 * A file that shows every change of generated data. It is compared, and written only on request: run
 * `UPDATE_SNAPSHOTS=1 npm test …`, and review the difference.
 */
import { expect } from 'bun:test';

export async function expectSnapshot(path: string, value: object): Promise<void> {
  const text = `${JSON.stringify(value, null, 2)}\n`;
  if (process.env.UPDATE_SNAPSHOTS === '1') await Bun.write(path, text);
  const kept = await Bun.file(path).text();
  if (kept === text) return;
  // Shows the difference, if there is more than formatting.
  expect(value).toEqual(JSON.parse(kept));
  expect(text).toBe(kept);
}
