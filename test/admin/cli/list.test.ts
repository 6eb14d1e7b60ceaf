/** Lists have headings, with aligned columns for people and tabs for programs. */
import { expect, test } from 'bun:test';
import { listOf, renderList } from '../../../admin/cli/list.ts';

interface Row {
  readonly id: number;
  readonly name: string | null;
}

const listed = (...rows: Row[]) =>
  listOf(rows, { none: 'Nothing.', columns: { ID: ({ id }) => id, NAME: ({ name }) => name, END: () => null } });

test('people get aligned columns, whatever the width of the characters', () => {
  const list = listed({ id: 7, name: '東京' }, { id: 1000, name: 'Ёлка' }, { id: 8, name: null });
  expect(renderList(list, { aligned: true })).toBe('ID    NAME  END\n7     東京\n1000  Ёлка\n8');
});

test('programs get tabs, but none at the end of a line', () => {
  const list = listed({ id: 7, name: 'Ada' }, { id: 8, name: null });
  expect(renderList(list, { aligned: false })).toBe('ID\tNAME\tEND\n7\tAda\n8');
});

test('an empty list is reported as such, without headings', () => {
  for (const aligned of [true, false]) expect(renderList(listed(), { aligned })).toBe('Nothing.');
});

test('customers’ text cannot break lines or send control sequences to the terminal', () => {
  const list = listed({ id: 1, name: 'a\tb\r\nc\u001b[2Jd\u2028e' });
  expect(renderList(list, { aligned: false })).toBe('ID\tNAME\tEND\n1\ta b c [2Jd e');
});
