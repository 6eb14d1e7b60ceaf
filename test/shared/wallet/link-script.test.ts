/** A script is given the common functions that it uses, all of them and no others. */
import { expect, test } from 'bun:test';
import { linkScript } from '../../../shared/wallet/link-script.ts';
import release from '../../../shared/wallet/scripts/release.lua' with { type: 'text' };
import reserve from '../../../shared/wallet/scripts/reserve.lua' with { type: 'text' };

const functionsIn = (source: string) => [...source.matchAll(/^local function (\w+)/gm)].map(([, name]) => name);

test('flags stay on the first line, and comments are left out', () => {
  const linked = linkScript(release);
  expect(linked.split('\n')[0]).toBe('#!lua flags=allow-oom');
  expect(linked).not.toMatch(/^\s*--/m);
});

test('what is used is there, also by way of another function, and what is not used is not', () => {
  expect(functionsIn(linkScript('#!lua\nreturn {text(1)}\n'))).toEqual(['work_on', 'text', 'script']);
  // judge_key asks for the time, and count_request packs windows.
  expect(functionsIn(linkScript(reserve))).toContainValues(['judge_key', 'now_ms', 'grant', 'pack_window', 'month_of']);
  expect(functionsIn(linkScript(reserve))).not.toContain('append_charge');
  expect(functionsIn(linkScript(release))).not.toContain('judge_key');
});

test('a script that uses nothing is given no more than where it works', () => {
  expect(functionsIn(linkScript("#!lua\nreturn {'OK'}\n"))).toEqual(['work_on', 'script']);
});
