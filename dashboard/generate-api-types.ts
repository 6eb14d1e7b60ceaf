/**
 * Writes dashboard/generated/api.ts, the types of admin's API, from its own OpenAPI document. They are not committed, and only
 * `npm run check` needs them.
 */
import { plugin } from 'bun';
import { readApiDocument, writeGenerated } from './api-document.ts';

const document = await readApiDocument();
await writeGenerated('api.ts', document, async () => {
  // openapi-typescript needs the compiler's API, which TypeScript 7 does not have; this package bundles an older one.
  const { ts } = await import('@ts-morph/common');
  plugin({
    name: 'compiler-api',
    setup: (builder) => void builder.module('typescript', () => ({ exports: { default: ts }, loader: 'object' })),
  });
  const { default: generate, astToString } = await import('openapi-typescript');
  // A request may leave out what has a default.
  return astToString(await generate(JSON.parse(document), { defaultNonNullable: false }));
});
