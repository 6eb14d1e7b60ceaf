/** No program starts with a wrong seller's file, and every tool that checks the configuration lists its problems. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { findSellerProblems } from '../../../../local/start/seller.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { gatewayOf } from '../../cli/run-gateway.ts';

let harness: Harness;
let SELLER_FILE: string;
beforeAll(async () => {
  harness = await startHarness();
  SELLER_FILE = join(harness.directory, 'seller.yaml');
  await Bun.write(SELLER_FILE, 'kind: IP\nname: Соколов Пётр Сергеевич\nkpp: 770001001\nvat: 200\n');
});
afterAll(() => harness.stop());

const problems = [/'vat': expected none, or a rate/, /'ogrnip' is missing/, /'kpp' does not apply to the kind IP/];

test("admin does not start with a wrong seller's file, and lists its problems", async () => {
  const refusal = await harness.startAdmin({ SELLER_FILE }).then(
    () => 'started',
    (error) => String(error),
  );
  expect(refusal).toContain('admin cannot start. The configuration is invalid:');
  for (const problem of problems) expect(refusal).toMatch(problem);
});

test("the doctor lists the problems of a seller's file and fails", async () => {
  const environment = { JWT_SECRET: harness.jwtSecret, SELLER_FILE };
  const { exitCode, out } = await gatewayOf(harness)(['doctor'], { environment });
  expect(exitCode).toBe(1);
  for (const problem of problems) expect(out).toMatch(problem);
});

test("npm start finds problems of a seller's file before it starts anything, and none in its own", () => {
  const found = findSellerProblems({ inherited: { SELLER_FILE } });
  for (const problem of problems) expect(found.join('\n')).toMatch(problem);
  expect(findSellerProblems({ inherited: {} })).toEqual([]);
  expect(findSellerProblems({ inherited: { SELLER_FILE: '' } })).toEqual([]);
});
