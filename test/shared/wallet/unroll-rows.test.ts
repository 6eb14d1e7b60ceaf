/** Loops over rows do the same when they are spelled out as they would with a table of rows. */
import { afterAll, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type LuaRow, unrollRows } from '../../../shared/wallet/unroll-rows.ts';
import { startWalletBench } from '../../harness/wallet/wallet-bench.ts';

const bench = await startWalletBench();

afterAll(() => bench.stop());

const lists = (rows: readonly LuaRow[]) => ({ rows: { rows }, values: { names: rows.map(({ name = null }) => name) } });

test('a loop becomes its body once for each row, with members and places as literals', () => {
  const code = '  for place, row in ipairs(rows) do\n    sums[place] = own[row.name] + row.ms\n  end';
  const rows = [
    { name: 'day', ms: 5 },
    { name: 'total', ms: null },
  ];
  expect(unrollRows(code, lists(rows))).toBe(
    "  do\n    sums[1] = own['day'] + 5\n  end\n  do\n    sums[2] = own['total'] + nil\n  end",
  );
});

test('a list that is unpacked becomes its values, and other loops and lists stay', () => {
  const code = 'for _, other in ipairs(others) do\n  call(unpack(others), unpack(names))\nend';
  expect(unrollRows(code, lists([{ name: 'day' }, { name: 'month' }]))).toBe(
    "for _, other in ipairs(others) do\n  call(unpack(others), 'day', 'month')\nend",
  );
});

test('a loop that reads a member that no row has is refused', () => {
  const code = 'for _, row in ipairs(rows) do\n  total = total + row.lenght\nend';
  expect(() => unrollRows(code, lists([{ name: 'day' }]))).toThrow('row.lenght');
});

test('a script returns the same with its loops spelled out as with tables of the rows', async () => {
  const script = `local function walk(limit)
  local sum, seen = 0, {}
  for place, row in ipairs(rows) do
    local weight = row.weight
    if weight then
      for _, factor in ipairs({1, 10}) do
        sum = sum + place * weight * factor
      end
    end
    if sum > limit then return row.name .. ':' .. sum end
    seen[#seen + 1] = row.name
  end
  return table.concat(seen, ',') .. ':' .. sum
end
return walk(tonumber(ARGV[1]))`;
  const anyRow = fc.record({
    name: fc.stringMatching(/^[a-z][A-Za-z]{0,9}$/),
    weight: fc.option(fc.integer({ min: 0, max: 1_000 })),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(anyRow, { maxLength: 6 }), fc.integer({ min: 0, max: 60_000 }), async (rows, limit) => {
      const inTables = rows.map(({ name, weight }) => `{name = '${name}', weight = ${weight ?? 'nil'}}`).join(', ');
      const expected = await bench.redis.eval(`local rows = {${inTables}}\n${script}`, 0, limit);
      expect(await bench.redis.eval(unrollRows(script, lists(rows)), 0, limit)).toEqual(expected);
    }),
  );
});
