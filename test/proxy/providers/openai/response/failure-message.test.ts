/** The message of a provider's error is found in every known shape. */
import { expect, test } from 'bun:test';
import { readFailure } from '../../../../../proxy/providers/openai/response/failure-message.ts';

test.each([
  [{ error: { message: 'a', type: 't', code: null, param: null } }, 'a'],
  [{ error: 'a' }, 'a'],
  [{ error: { error: { message: 'a' } } }, 'a'],
  [{ object: 'error', message: 'a', type: 'BadRequestError', code: 400 }, 'a'],
  [
    { message: { detail: [{ type: 'missing', loc: ['body', 'model'], msg: 'Field required' }] } },
    'body.model: Field required',
  ],
  [{ detail: 'a' }, 'a'],
  [{ detail: [{ loc: ['body', 'messages', 0], msg: 'a' }, { msg: 'b' }] }, 'body.messages.0: a; b'],
  [{ errors: [{ message: 'a' }] }, 'a'],
  [{ message: ['a', 'b'] }, 'a; b'],
  [[{ error: { code: 400, message: 'a', status: 'INVALID_ARGUMENT' } }], 'a'],
  [{ error: { code: 'x' }, message: 'a' }, 'a'],
  [{ error: { message: '' } }, undefined],
  [{ error: null }, undefined],
  [{}, undefined],
  [7, undefined],
])('the error %j has the message %p', (body, message) => {
  expect(readFailure(JSON.stringify(body)).message).toBe(message as string);
});

test('invalid JSON has no message, long messages are cut, and deep ones not found', () => {
  expect(readFailure('<html>').message).toBeUndefined();
  expect(readFailure(JSON.stringify({ error: 'x'.repeat(5_000) })).message).toHaveLength(1_000);
  expect(readFailure(`${'{"error":'.repeat(50)}"a"${'}'.repeat(50)}`).message).toBeUndefined();
});
