/** The document of /api is self-explanatory: everything in it is described, and no error example is made up. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { Glob } from 'bun';
import { findGenericErrors, findUndescribed } from '../../../harness/openapi/find-undescribed.ts';
import { type OpenApiDocument, operationsOf } from '../../../harness/openapi/operations-of.ts';

const document: OpenApiDocument = await Bun.file(join(import.meta.dir, 'openapi.snapshot.json')).json();
const root = join(import.meta.dir, '../../../..');

/** For these codes, admin's message happens to equal the registry's description. */
const sameAsRegistry = ['idempotency_in_progress', 'idempotency_key_reused', 'invalid_credentials', 'wrong_password'];

test('every operation, parameter, header and field is described, not just validated', () => {
  expect(findUndescribed(document)).toEqual([]);
});

test('every operation has a summary and a description of its own', () => {
  const operations = operationsOf(document);
  expect(operations.filter(({ summary, description }) => !summary || !description)).toEqual([]);
  expect(operations.filter(({ summary, description }) => description?.startsWith(`${summary}.`))).toEqual([]);
});

test("no error example shows the registry's description instead of the real message", () => {
  const codes = new Set(findGenericErrors(document).map((found) => found.split(': ').at(-1) ?? ''));
  expect([...codes].sort()).toEqual(sameAsRegistry);
});

test('the errors of the examples come from the code that throws them', async () => {
  const patterns = ['admin/api/**/*-docs.ts', 'admin/api/docs/*.ts'];
  const found = await Promise.all(patterns.map((pattern) => Array.fromAsync(new Glob(pattern).scan({ cwd: root }))));
  const files = found.flat();
  expect(files.length).toBeGreaterThan(10);
  const makers: string[] = [];
  for (const file of files) {
    if ((await Bun.file(join(root, file)).text()).includes('new GatewayError(')) makers.push(file);
  }
  // An error of its own for a page's file that does not exist.
  expect(makers).toEqual(['admin/api/docs/docs-routes.ts']);
});

test('the wording of error messages stays out of the document', () => {
  expect(JSON.stringify(document)).not.toContain('"expected":');
});
