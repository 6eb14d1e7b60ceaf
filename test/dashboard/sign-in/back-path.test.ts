/** Where a log-in leads: never to another site, and never to an address that the dashboard has no page for. */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { backPath } from '../../../dashboard/app/router/search.ts';

const origin = 'https://gateway.example.com';
const pages = ['/', '/keys', '/billing', '/usage', '/accounts/7'];
/** As lenient as a router may be. */
const isPage = (path: string) => pages.includes(`/${path.split('/').filter(Boolean).join('/')}`);
const lead = (back: string | undefined) => backPath(back, { origin, isPage });

const chunk = fc.constantFrom(
  ...[
    '/',
    '\\',
    '\t',
    '\n',
    '\r',
    ' ',
    '.',
    '..',
    '//',
    ':',
    '@',
    '?',
    '#',
    '%09',
    '%2f',
    '%5c',
    '\u0000',
    'javascript:',
  ],
  ...[
    'https:',
    'http:',
    'data:',
    'keys',
    'attacker.example',
    'gateway.example.com',
    'blob:https://gateway.example.com/',
  ],
);
const address = fc.oneof(
  fc.array(chunk, { maxLength: 8 }).map((chunks) => chunks.join('')),
  fc.array(chunk, { maxLength: 8 }).map((chunks) => `/${chunks.join('')}`),
  fc.string(),
  fc.webUrl(),
);

test('any text leads to a page of the dashboard', () => {
  fc.assert(
    fc.property(address, (back) => {
      const path = lead(back);
      expect(path).toMatch(/^\/(?!\/)/);
      const url = new URL(path, origin);
      expect(url.origin).toBe(origin);
      expect(isPage(url.pathname)).toBe(true);
      // The followed address is the checked one.
      expect(url.pathname + url.search + url.hash).toBe(path);
    }),
    { numRuns: 5_000 },
  );
});

test.each(['/keys', '/accounts/7', '/usage?from=2026-11-01&to=2026-11-22', '/billing?top-up=1#payments'])(
  'the path %s leads to its page',
  (back) => {
    expect(lead(back)).toBe(back);
  },
);

test.each(['/\t/attacker.example', '/%09/keys', '/\\attacker.example', '/.//attacker.example', '/api/docs', '//keys'])(
  'the path %p leads to the first page',
  (back) => {
    expect(lead(back)).toBe('/');
  },
);

test('a missing path leads to the first page', () => {
  expect(lead(undefined)).toBe('/');
});
