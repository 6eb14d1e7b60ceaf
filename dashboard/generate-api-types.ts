/**
 * Writes dashboard/generated/api.ts: the types of admin's API, from its own OpenAPI document. The file is not committed;
 * `npm run check` and every build write it.
 */
import { join } from 'node:path';
import { plugin } from 'bun';

const documentFile = join(import.meta.dir, '../test/admin/api/docs/openapi.snapshot.json');
const typesFile = join(import.meta.dir, 'generated/api.ts');

/** Does nothing if the document is the same as last time. */
export async function writeApiTypes(): Promise<void> {
  const document = await Bun.file(documentFile).text();
  const header = `/** Generated from the OpenAPI document ${Bun.hash(document).toString(36)}. */\n`;
  const types = Bun.file(typesFile);
  if ((await types.exists()) && (await types.slice(0, header.length).text()) === header) return;
  // openapi-typescript needs the compiler's API, which TypeScript 7 does not have; this package bundles an older one.
  const { ts } = await import('@ts-morph/common');
  plugin({
    name: 'compiler-api',
    setup: (builder) => void builder.module('typescript', () => ({ exports: { default: ts }, loader: 'object' })),
  });
  const { default: generate, astToString } = await import('openapi-typescript');
  await Bun.write(typesFile, `${header}${astToString(await generate(JSON.parse(document)))}`);
}

if (import.meta.main) await writeApiTypes();
