/** The document of /api as admin serves it is complete and consistent, and shows every change. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { exampleProblems, examplesOf } from '../../../harness/openapi/example-problems.ts';
import { findGaps } from '../../../harness/openapi/find-gaps.ts';
import type { OpenApiDocument } from '../../../harness/openapi/operations-of.ts';
import { expectSnapshot } from '../../../harness/openapi/snapshot.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { type Api, startApi } from '../start-api.ts';

const proxyUrl = 'https://gateway.example.com/llm';

let harness: Harness;
let api: Api;
beforeAll(async () => {
  harness = await startHarness();
  api = await startApi(harness, { environment: { PROXY_PUBLIC_URL: `${proxyUrl}/` } });
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

test('every change of the document changes its snapshot, which npm run openapi writes', async () => {
  const { body } = await api.call<OpenApiDocument>('GET', '/api/docs/json');
  await expectSnapshot(join(import.meta.dir, 'openapi.snapshot.json'), body);
});

test('every operation has a tag, an id, a summary, security, examples and error codes', async () => {
  const { body } = await api.call<OpenApiDocument>('GET', '/api/docs/json');
  expect(findGaps(body)).toEqual([]);
});

test('every example is valid and has no undocumented member', async () => {
  const { body } = await api.call<OpenApiDocument>('GET', '/api/docs/json');
  expect(examplesOf(body).length).toBeGreaterThan(500);
  expect(exampleProblems(body)).toEqual([]);
});

test('the examples of fields are only in those of bodies', async () => {
  const { body } = await api.call<OpenApiDocument>('GET', '/api/docs/json');
  const schemas = JSON.stringify(body.components.schemas);
  expect(schemas).not.toContain('"example":');
});

test("the proxy's document is served too, with the proxy's public address", async () => {
  const { body } = await api.call('GET', '/api/docs/inference.json');
  const kept = await Bun.file(join(import.meta.dir, '../../../../shared/openapi/inference.json')).json();
  expect(body).toEqual({ ...kept, servers: [{ url: proxyUrl }] });
});

test("the document's page may connect to its own origin and the proxy’s, and no other", async () => {
  const { headers } = await api.call('GET', '/api/docs');
  expect(headers.get('content-security-policy')?.split('; ')).toContain(
    "connect-src 'self' https://gateway.example.com",
  );
});
