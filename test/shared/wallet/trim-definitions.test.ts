/** A script does the same without what it does not use, in fewer steps. */
import { afterAll, expect, test } from 'bun:test';
import fc from 'fast-check';
import { trimDefinitions } from '../../../shared/wallet/trim-definitions.ts';
import { startWalletBench } from '../../harness/wallet/wallet-bench.ts';

const bench = await startWalletBench();

afterAll(() => bench.stop());

test('what is not used is left out, also if only something unused uses it', () => {
  const statements = [
    'local function deep()\n  return 1\nend\n',
    'local function unused()\n  return deep()\nend\n',
    'local sums = {}\n',
    'local function used()\n  return sums\nend\n',
  ];
  expect(trimDefinitions(statements, 'return used()')).toEqual([
    'local used, sums',
    'sums = {}',
    'function used()\n  return sums\nend',
    'return used()',
  ]);
});

test('a name at the very end of a definition counts as used', () => {
  const statements = ['local base = {}\n', 'local alias = base\n', 'local function used()\n  return alias\nend\n'];
  expect(trimDefinitions(statements, 'return used')).toContain('base = {}');
});

test('numbers are written where they are used, but not for members of the same name', () => {
  const statements = [
    'local day_ms, week = 86400000, 7\n',
    'local function of(row)\n  return row.week * week + day_ms\nend\n',
  ];
  expect(trimDefinitions(statements, 'return of, week')).toEqual([
    'local of',
    'function of(row)\n  return row.week * 7 + 86400000\nend',
    'return of, 7',
  ]);
});

test('the name that most functions use is declared last, and one without a value is only declared', () => {
  const statements = [
    'local seen, tag\n',
    'local function one()\n  seen = tag\nend\n',
    'local function other()\n  return one(tag)\nend\n',
  ];
  expect(trimDefinitions(statements, 'return other()')[0]).toBe('local other, seen, one, tag');
});

test('generated scripts return the same', async () => {
  const anyStep = fc.record({
    calls: fc.array(fc.nat(11), { maxLength: 3 }),
    number: fc.nat(99),
    isConstant: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 1, maxLength: 12 }), async (steps) => {
      const statements = steps.map(({ calls, number, isConstant }, place) => {
        if (isConstant) return `local step_${place} = ${number}\n`;
        const earlier = calls.filter((call) => call < place).map((call) => `valued(step_${call})`);
        return `local function step_${place}()\n  return ${[number, ...earlier].join(' + ')}\nend\n`;
      });
      const valued = "local function valued(step)\n  return type(step) == 'function' and step() or step\nend\n";
      const use = `return valued(step_${steps.length - 1})`;
      const expected = await bench.redis.eval([valued, ...statements, use].join(''), 0);
      const trimmed = trimDefinitions([valued, ...statements], use).join('\n');
      expect(await bench.redis.eval(trimmed, 0)).toEqual(expected);
    }),
  );
});
