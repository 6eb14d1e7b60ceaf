/** YAML is parsed strictly: a duplicate key in a mapping is an error, wherever it is. */
import { expect, spyOn, test } from 'bun:test';
import { Parser } from 'yaml';
import { parseYaml } from '../../../admin/catalogue/parse-yaml.ts';

const problemsOf = (text: string) => {
  const reading = parseYaml(text);
  return reading.ok ? [] : reading.problems;
};

test.each([
  ['at the top', 'providers: 1\nmodels: 2\nproviders: 3\n', ['line 3: providers appears twice in one mapping']],
  ['deep in lists', 'a:\n  - b: { c: 1,\n      c: 2 }\n', ['line 3: c appears twice in one mapping']],
  ['written in two ways', 'a:\r\n  key: 1\r\n  "key" : 2\r\n', ['line 3: "key" appears twice in one mapping']],
  ['a number and a text', '1: a\n"1": b\n', ['line 2: "1" appears twice in one mapping']],
  ['in JSON', '{\n\t"a": 1,\n\t"a": 2\n}', ['line 3: "a" appears twice in one mapping']],
])('a duplicate key is named with its line: %s', (_, text, problems) => {
  expect(problemsOf(text)).toEqual(problems);
});

test('every duplicate key is named, even if the file has a syntax error too', () => {
  expect(problemsOf('a: 1\na: 2\nb: 3\nb: 4\nb: 5\n')).toEqual([
    'line 2: a appears twice in one mapping',
    'line 4: b appears twice in one mapping',
    'line 5: b appears twice in one mapping',
  ]);
  const [broken, repeated] = problemsOf('a: 1\na: 2\nb: [');
  expect(broken).toStartWith('The file is not YAML: line 3: ');
  expect(repeated).toBe('line 2: a appears twice in one mapping');
});

test.each([
  ['an unfinished list', 'a: [', 'line 1: '],
  ['a tab before a key', 'a:\n\tb: 1', 'line 2: '],
  ['two documents', 'a: 1\n---\nb: 2\n', 'line 2: a second document begins here'],
  ['an alias of nothing', 'a: *b', ''],
  ['lists in lists without end', '['.repeat(100_000), ''],
])('invalid YAML is reported as such: %s', (_, text, reason) => {
  expect(problemsOf(text)[0]).toStartWith(`The file is not YAML: ${reason}`);
});

test('the same key may occur in several mappings, and a merged one may be replaced', () => {
  expect(parseYaml('a: &a { b: 1, c: 2 }\nd: { <<: *a, b: 3 }\n')).toEqual({
    ok: true,
    value: { a: { b: 1, c: 2 }, d: { b: 3, c: 2 } },
  });
});

test('aliases of aliases do not grow without bound', () => {
  const rows = Array.from({ length: 12 }, (_, row) => `a${row}: &a${row} [${Array(9).fill(row ? `*a${row - 1}` : 1)}]`);
  expect(problemsOf(rows.join('\n'))[0]).toStartWith('The file is not YAML: ');
});

test('keys are not compared pairwise, and nothing is read after the first syntax error', () => {
  const keys = Array.from({ length: 50_000 }, (_, index) => `k${index}: 1`);
  const has = spyOn(Set.prototype, 'has');
  const some = spyOn(Array.prototype, 'some');
  try {
    expect(problemsOf([...keys, 'k0: 2'].join('\n'))).toEqual(['line 50001: k0 appears twice in one mapping']);
    expect(some).not.toHaveBeenCalled();
    expect(has.mock.calls.length).toBeLessThan(2 * keys.length);
  } finally {
    has.mockRestore();
    some.mockRestore();
  }
  const tokens = spyOn(Parser.prototype, 'next');
  try {
    expect(problemsOf('{ a: 1 }\nb: []'.repeat(10_000))[0]).toStartWith('The file is not YAML: line 2: ');
    expect(tokens.mock.calls.length).toBeLessThan(1_000);
  } finally {
    tokens.mockRestore();
  }
});

test('Bun’s YAML output is parsed back to the same value', () => {
  const value = {
    price: '0.50',
    version: '2024-10-21',
    yes: 'no',
    empty: '',
    list: [{ a: null, b: 1.5 }],
    text: 'a: #b\n',
  };
  expect(parseYaml(Bun.YAML.stringify(value, null, 2))).toEqual({ ok: true, value });
  expect(parseYaml(JSON.stringify(value, null, '\t'))).toEqual({ ok: true, value });
});
