/** What a failed query leaves in the log. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import pino from 'pino';
import { withoutParameters } from '../../../admin/database/errors.ts';
import { type Harness, startHarness } from '../../harness.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.stop());

test('the statement and the reason of a failed query are logged without parameters', async () => {
  const failed = await harness.database.db
    .execute(sql`SELECT * FROM nowhere WHERE hash = ${'a-secret'}`)
    .catch((e) => e);
  expect(String(failed)).toContain('a-secret');
  const logged = JSON.stringify(pino.stdSerializers.errWithCause(withoutParameters(failed) as Error));
  expect(logged).not.toContain('a-secret');
  expect(logged).toContain('SELECT * FROM nowhere WHERE hash = $1');
  expect(logged).toContain('does not exist');
});

test('any other error is logged unchanged', () => {
  const error = new Error('x');
  expect(withoutParameters(error)).toBe(error);
});
