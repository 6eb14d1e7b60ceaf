/**
 * Writes dashboard/generated/limits.ts from the OpenAPI document of admin's API: the limits that forms check and texts name. It
 * is not committed; every build writes it.
 */
import { readApiDocument, writeGenerated } from './api-document.ts';

/** Each limit: the operation, the field of its body, and the keyword of its schema. */
const limitPlaces = {
  keyNameMax: ['/api/keys', 'post', 'name', 'maxLength'],
  organizationNameMax: ['/api/organizations', 'post', 'name', 'maxLength'],
  projectNameMax: ['/api/projects', 'post', 'name', 'maxLength'],
  projectDescriptionMax: ['/api/projects', 'post', 'description', 'maxLength'],
  costCenterMax: ['/api/projects', 'post', 'costCenter', 'maxLength'],
  displayNameMax: ['/api/profile', 'put', 'displayName', 'maxLength'],
  pictureAddressMax: ['/api/profile', 'put', 'avatarUrl', 'maxLength'],
  passkeyNameMax: ['/api/profile/passkeys/{id}', 'put', 'name', 'maxLength'],
  codeMax: ['/api/profile/second-factor/app/confirm', 'post', 'code', 'maxLength'],
  passwordMin: ['/api/auth/register', 'post', 'password', 'minLength'],
  walletUsd: ['/api/payments/auto-top-up', 'put', 'belowUsd', 'maximum'],
  companyNameMax: ['/api/profile/details', 'put', 'companyName', 'maxLength'],
  companyAddressMax: ['/api/profile/details', 'put', 'legalAddress', 'maxLength'],
  domainsMax: ['/api/organization/sign-in/oidc', 'put', 'domains', 'maxItems'],
  reasonMax: ['/api/operator/accounts/{id}/block', 'post', 'reason', 'maxLength'],
  transferReferenceMax: ['/api/operator/payments/{paymentId}/confirm', 'post', 'reference', 'maxLength'],
} as const;

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly oneOf?: readonly Schema[];
  readonly [keyword: string]: unknown;
}

export async function writeLimits(): Promise<void> {
  const text = await readApiDocument();
  // The places of the limits are in this file.
  await writeGenerated('limits.ts', `${text}${JSON.stringify(limitPlaces)}`, async () => {
    return `export const limits = ${JSON.stringify(limitsOf(JSON.parse(text)), null, 2)} as const;\n`;
  });
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

if (import.meta.main) await writeLimits();
