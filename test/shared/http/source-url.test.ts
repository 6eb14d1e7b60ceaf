/** From where something is fetched for an operator. */
import { expect, test } from 'bun:test';
import { refuseSource } from '../../../shared/http/source-url.ts';

test.each([
  ['https://openrouter.ai/api/v1/models', undefined],
  ['http://localhost:9/list', undefined],
  ['http://[::1]:9/list', undefined],
  ['http://127.0.0.2/list', undefined],
  ['http://127.example.com/list', 'is neither an https address nor one of this machine'],
  ['http://openrouter.ai/api/v1/models', 'is neither an https address nor one of this machine'],
  ['http://169.254.169.254/latest', 'is neither an https address nor one of this machine'],
  ['file:///etc/passwd', 'is neither an https address nor one of this machine'],
  ['https://me:secret@example.com/', 'has a user name or a password'],
  ['prices.json', 'is not a URL'],
])('from the address %s something is fetched, unless it %s', (address, problem) => {
  expect(refuseSource(address)).toBe(problem as string);
});
