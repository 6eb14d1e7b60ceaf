/**
 * Writes what the dashboard knows of admin's API, from its own OpenAPI document: dashboard/generated/api.ts, its types, and
 * dashboard/generated/limits.ts, the limits that forms check and texts name. Neither is committed; `npm run check` and every
 * build write them.
 */
import { join } from 'node:path';
import { plugin } from 'bun';

const documentFile = join(import.meta.dir, '../test/admin/api/docs/openapi.snapshot.json');
const generated = join(import.meta.dir, 'generated');

/** Each limit: the operation, the field of its body, and the keyword of its schema. */
const limitPlaces = {
  keyNameMax: ['/api/keys', 'post', 'name', 'maxLength'],
  displayNameMax: ['/api/profile', 'put', 'displayName', 'maxLength'],
  pictureAddressMax: ['/api/profile', 'put', 'avatarUrl', 'maxLength'],
  passwordMin: ['/api/auth/register', 'post', 'password', 'minLength'],
  walletUsd: ['/api/payments/auto-top-up', 'put', 'belowUsd', 'maximum'],
  companyNameMax: ['/api/profile/details', 'put', 'companyName', 'maxLength'],
  companyAddressMax: ['/api/profile/details', 'put', 'legalAddress', 'maxLength'],
  reasonMax: ['/api/operator/accounts/{id}/block', 'post', 'reason', 'maxLength'],
  transferReferenceMax: ['/api/operator/payments/{paymentId}/confirm', 'post', 'reference', 'maxLength'],
} as const;

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly oneOf?: readonly Schema[];
  readonly [keyword: string]: unknown;
}

/** Does nothing if the document is the same as last time. */
export async function writeApiTypes(): Promise<void> {
  const text = await Bun.file(documentFile).text();
  // The places of the limits are in this file.
  const hash = Bun.hash(`${text}${JSON.stringify(limitPlaces)}`).toString(36);
  const header = `/** Generated from the OpenAPI document ${hash}. */\n`;
  const files = { types: join(generated, 'api.ts'), limits: join(generated, 'limits.ts') };
  const upToDate = await Promise.all(Object.values(files).map((path) => beginsWith(path, header)));
  if (upToDate.every(Boolean)) return;
  const document = JSON.parse(text);
  await Bun.write(
    files.limits,
    `${header}export const limits = ${JSON.stringify(limitsOf(document), null, 2)} as const;\n`,
  );
  // openapi-typescript needs the compiler's API, which TypeScript 7 does not have; this package bundles an older one.
  const { ts } = await import('@ts-morph/common');
  plugin({
    name: 'compiler-api',
    setup: (builder) => void builder.module('typescript', () => ({ exports: { default: ts }, loader: 'object' })),
  });
  const { default: generate, astToString } = await import('openapi-typescript');
  await Bun.write(files.types, `${header}${astToString(await generate(document))}`);
}

async function beginsWith(path: string, header: string): Promise<boolean> {
  const file = Bun.file(path);
  return (await file.exists()) && (await file.slice(0, header.length).text()) === header;
}

/** Throws if a limit is not where it should be. */
function limitsOf(document: {
  paths: Record<string, Record<string, unknown>>;
  components: { schemas: Record<string, Schema> };
}) {
  const follow = (schema: Schema | undefined): Schema =>
    schema?.$ref === undefined
      ? (schema ?? {})
      : follow(document.components.schemas[schema.$ref.split('/').at(-1) ?? '']);
  const limits = Object.entries(limitPlaces).map(([name, [path, method, field, keyword]]) => {
    const operation = Object(document.paths[path]?.[method]);
    const body = follow(operation.requestBody?.content['application/json']?.schema);
    const { oneOf = [], ...schema } = follow(body.properties?.[field]);
    const limit = [schema, ...oneOf].map((each) => each[keyword]).find((value) => typeof value === 'number');
    if (limit === undefined) throw new Error(`${method} ${path} has no ${keyword} of ${field}`);
    return [name, limit] as const;
  });
  return Object.fromEntries(limits);
}

if (import.meta.main) await writeApiTypes();
