/** Addresses that reach one mailbox share its limits. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { mailboxOf } from '../../../../admin/auth/throttle/mailbox.ts';

const letters = [...'abcdefghijklmnopqrstuvwxyz0123456789'];
const name = fc.array(fc.constantFrom(...letters), { minLength: 1, maxLength: 20 });
const tag = fc.string({ unit: fc.constantFrom(...letters, '+', '.', '-', '_'), maxLength: 20 });
const domain = fc.constantFrom('example.com', 'gmail.com', 'mail.example.org', 'proton.me');

/** The same name with separators and letters of either case, and a tag or none. */
const spelled = (characters: readonly string[]) =>
  fc
    .tuple(
      fc.array(fc.tuple(fc.constantFrom('', '', '.', '-', '_'), fc.boolean()), {
        minLength: characters.length,
        maxLength: characters.length,
      }),
      fc.option(tag),
    )
    .map(([choices, ending]) => {
      const local = characters.map((character, index) => {
        const [separator, isUpper] = choices[index] ?? ['', false];
        return (index === 0 ? '' : separator) + (isUpper ? character.toUpperCase() : character);
      });
      return local.join('') + (ending === null ? '' : `+${ending}`);
    });

test('every spelling of an address and every tag is one mailbox', () => {
  const spellings = name.chain((characters) => fc.tuple(spelled(characters), spelled(characters), domain));
  fc.assert(
    fc.property(spellings, ([one, other, host]) => {
      expect(mailboxOf(`${one}@${host}`)).toBe(mailboxOf(` ${other}@${host.toUpperCase()} `));
    }),
  );
});

test('different names, or one name at different domains, are different mailboxes', () => {
  fc.assert(
    fc.property(name, name, (one, other) => {
      fc.pre(one.join('') !== other.join(''));
      expect(mailboxOf(`${one.join('')}@example.com`)).not.toBe(mailboxOf(`${other.join('')}@example.com`));
      expect(mailboxOf(`${one.join('')}@example.com`)).not.toBe(mailboxOf(`${one.join('')}@example.org`));
    }),
  );
});

test.each([
  ['anna@googlemail.com', 'anna@gmail.com'],
  ['anna@ya.ru', 'anna@yandex.com'],
  ['anna@protonmail.com', 'anna@pm.me'],
])('the address %s belongs to the mailbox %s', (one, other) => {
  expect(mailboxOf(one)).toBe(mailboxOf(other));
});
