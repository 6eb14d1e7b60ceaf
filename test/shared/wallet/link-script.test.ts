/** A script gets the parts that its header requires, each once and in order, and its arguments by name. */
import { expect, test } from 'bun:test';
import { Glob } from 'bun';
import { linkScript } from '../../../shared/wallet/link-script.ts';
import release from '../../../shared/wallet/scripts/requests/release.lua' with { type: 'text' };
import { definitions } from '../../../shared/wallet/wallet-scripts.ts';

const root = new URL('../../..', import.meta.url).pathname;
const definedIn = (source: string) =>
  [...source.matchAll(/^local (?:function )?([\w, ]+)/gm)].flatMap(([, names = '']) => names.trim().split(', '));

test("flags stay on a linked script's first line, and comments are left out", () => {
  const source = linkScript(release, []);
  expect(source.split('\n')[0]).toBe('#!lua flags=allow-oom');
  expect(source).not.toMatch(/^\s*--/m);
});

test('what a script uses of its parts comes after what that uses, once, and nothing else', () => {
  const source = linkScript(
    '#!lua\n-- requires: rate-end, spending\nreturn {status = without_request(spendable)}\n',
    [],
  );
  const defined = definedIn(source);
  expect(defined).toEqual([...new Set(defined)]);
  expect(source.indexOf('function now_ms(')).toBeLessThan(source.indexOf('function read_rate_of('));
  expect(source.indexOf('function read_rate_of(')).toBeLessThan(source.indexOf('function without_request('));
  expect(defined).toEqual(expect.arrayContaining(['without_request', 'spendable', 'spend_records']));
  expect(source).not.toContain('count_spent');
  expect(source).not.toContain('post_charge');
});

test('a script without required parts gets only its keys', () => {
  expect(definedIn(linkScript("#!lua\nreturn {status = 'OK'}\n", []))).toContainAllValues([
    ...['tag', 'meta_key', 'holds_key', 'work_on', 'script', 'arguments', 'values', 'replies'],
  ]);
});

test('a script that requires a part that does not exist is refused', () => {
  expect(() => linkScript('#!lua\n-- requires: nothing\n', [])).toThrow('nothing, which does not exist');
});

test('a script gets its arguments by name', () => {
  expect(linkScript('#!lua\n', ['first', 'second'])).toContain(
    'local arguments = {first = values[at + 1], second = values[at + 2]}',
  );
});

test.each(Object.entries(definitions))(
  'the header of %s describes its arguments in their order, and it uses no other',
  (_, script) => {
    const [, lines = ''] = /^-- arguments:\n((?:-- {3}.*\n)*)/m.exec(script.source) ?? [];
    // A name is indented by three spaces after the dashes; its description is indented further.
    const described = [...lines.matchAll(/^-- {3}(\w+)/gm)].map(([, name = '']) => name);
    expect(described).toEqual([...script.arguments]);
    const used = [...script.source.replace(/--.*$/gm, '').matchAll(/\barguments\.(\w+)/g)].map(([, name = '']) => name);
    expect(described).toEqual(expect.arrayContaining(used));
  },
);

test('every name that a wallet script uses is defined in it, and every part it requires is used', async () => {
  const known = new Set([
    ...['redis', 'cjson', 'cmsgpack', 'struct', 'string', 'table', 'math', 'ARGV', 'error', 'tonumber', 'tostring'],
    ...['ipairs', 'pairs', 'pcall', 'type', 'unpack', 'next', 'arguments'],
  ]);
  const problems: string[] = [];
  for await (const path of new Glob('shared/wallet/scripts/{requests,ledger}/*.lua').scan({ cwd: root })) {
    const text = await Bun.file(root + path).text();
    const source = linkScript(text, []);
    const called = [...source.replace(/'[^']*'/g, "''").matchAll(/(?<![.\w])([a-z_]\w*)\(/g)].map(
      ([, name = '']) => name,
    );
    const defined = new Set(definedIn(source.replace(/^ +/gm, '')));
    const keywords = new Set(['function', 'if', 'and', 'or', 'not', 'return', 'in', 'elseif', 'while']);
    for (const name of new Set(called)) {
      if (!known.has(name) && !defined.has(name) && !keywords.has(name))
        problems.push(`${path}: ${name} is not defined`);
    }
    const body = text.replace(/^--.*$/gm, '');
    for (const part of /^-- requires: (.+)$/m.exec(text)?.[1]?.split(', ') ?? []) {
      const own = await Bun.file(`${root}shared/wallet/scripts/common/${part}.lua`).text();
      if (!definedIn(own).some((name) => new RegExp(`\\b${name}\\b`).test(body))) {
        problems.push(`${path}: nothing of ${part} is used`);
      }
    }
  }
  expect(problems).toEqual([]);
});
