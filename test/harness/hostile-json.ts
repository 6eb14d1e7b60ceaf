/** JSON values that break code which assumes the usual type of a member. */
import fc from 'fast-check';

/** Names of members that a conversion to text or number, a promise or a serializer calls. */
const calledMembers = ['toString', 'valueOf', 'toJSON', 'then', 'constructor', '__proto__', 'length', 'hasOwnProperty'];

/** Objects that cannot be converted to text; text with NUL, which Postgres refuses, and half a character. */
export const hostileJson: fc.Arbitrary<unknown> = fc.oneof(
  fc
    .constantFrom(...calledMembers)
    .chain((name) =>
      fc
        .constantFrom<unknown>('', 0, null, {})
        .map((value) => JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`)),
    ),
  fc.constant({ toString: '', valueOf: '' }),
  fc.constantFrom('\0', 'a\0b', '\ud800', '\udc00x', '\u2028', '__proto__', '-0', '1e999'),
  fc.jsonValue({ maxDepth: 2 }),
);
