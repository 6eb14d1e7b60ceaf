/** Integers are preserved to the digit. */
import { expect, test } from 'bun:test';
import { parseExact } from '../../../../proxy/nouns/json/parse-exact.ts';

const unchanged = [
  '{"id":12345678901234567890}',
  '{"ids":[9007199254740993,-9007199254740993,9007199254740991]}',
  '{"text":"12345678901234567890","pi":3.5,"none":null,"__proto__":{"id":12345678901234567890}}',
  '[1,"a",true]',
];

for (const text of unchanged) {
  test(`the number ${text} is serialised unchanged`, () => expect(JSON.stringify(parseExact(text))).toBe(text));
}

test('invalid JSON is a SyntaxError', () => {
  for (const text of ['{', '{"id":12345678901234567890']) expect(() => parseExact(text)).toThrow(SyntaxError);
});
