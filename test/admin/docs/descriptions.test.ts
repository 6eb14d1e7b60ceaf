/** The document of /api explains itself: nothing in it is without a description, and no example of an error is made up. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { Glob } from 'bun';
import { findGenericErrors, findUndescribed } from '../../harness/openapi/find-undescribed.ts';
import { type OpenApiDocument, operationsOf } from '../../harness/openapi/operations-of.ts';

const document: OpenApiDocument = await Bun.file(join(import.meta.dir, 'openapi.snapshot.json')).json();
const root = join(import.meta.dir, '../../..');

/** What admin says to these happens to be word for word what the registry says of them. */
const saidAsInTheRegistry = [
  'idempotency_in_progress',
  'idempotency_key_reused',
  'invalid_credentials',
  'wrong_password',
];

test('every operation, parameter, header and field says what it means, and not only what is valid', () => {
  expect(findUndescribed(document)).toEqual([]);
});

test('every operation has a summary and a description of its own', () => {
  const operations = operationsOf(document);
  expect(operations.filter(({ summary, description }) => !summary || !description)).toEqual([]);
  expect(operations.filter(({ summary, description }) => description?.startsWith(`${summary}.`))).toEqual([]);
});

test("no example of an error shows the registry's meaning in place of the message that is sent", () => {
  const codes = new Set(findGenericErrors(document).map((found) => found.split(': ').at(-1) ?? ''));
  expect([...codes].sort()).toEqual(saidAsInTheRegistry);
});

test('the errors of the examples are made where they are thrown, never by the documentation', async () => {
  const patterns = ['admin/api/**/*-docs.ts', 'admin/docs/*.ts'];
  const found = await Promise.all(patterns.map((pattern) => Array.fromAsync(new Glob(pattern).scan({ cwd: root }))));
  const files = found.flat();
  expect(files.length).toBeGreaterThan(10);
  const makers: string[] = [];
  for (const file of files) {
    if ((await Bun.file(join(root, file)).text()).includes('new GatewayError(')) makers.push(file);
  }
  // What it throws itself, for a file of the page that does not exist.
  expect(makers).toEqual(['admin/docs/docs-routes.ts']);
});

test('the words of error messages stay out of the document', () => {
  expect(JSON.stringify(document)).not.toContain('"expected":');
});
