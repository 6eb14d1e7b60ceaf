/** What the documentation says about the three places where keys are managed. */
import { Type } from '@sinclair/typebox';
import type { KeyKind } from '../../shared/keys/api-key.ts';
import { describe, type Security } from '../docs/describe.ts';
import { limitsExample } from './key-limits-schemas.ts';
import {
  billingKeySchema,
  changeBillingKeyBody,
  changeProxyKeyBody,
  createBillingKeyBody,
  createdKeySchema,
  createProxyKeyBody,
  proxyKeySchema,
} from './key-schemas.ts';
import { idempotencyHeaders, keyIdParams } from './schemas.ts';

export interface KeyDocsOptions {
  readonly tag: string;
  readonly security: Security;
  /** Makes the operations' ids unique: `BillingKey`. */
  readonly noun: string;
}

const billingKeyExample = {
  id: 7,
  name: 'production',
  prefix: 'mk-07Zk3QpL',
  active: true,
  createdAt: '2030-01-01T12:00:00.000Z',
  expiresAt: null,
} satisfies typeof billingKeySchema.static;
const createExample = { name: 'production', expires_at: '2031-01-01T00:00:00Z' };

const kinds = {
  billing: {
    schema: billingKeySchema,
    example: billingKeyExample,
    create: { schema: createBillingKeyBody, example: createExample },
    change: { schema: changeBillingKeyBody, example: { active: false } },
    changeable: 'Send `name`, `active` or both.',
  },
  proxy: {
    schema: proxyKeySchema,
    example: {
      ...billingKeyExample,
      prefix: 'ms-07Zk3QpL',
      lastUsedAt: '2030-01-02T08:30:00.000Z',
      spend30d: 1.284,
      awaitsVerification: false,
      limits: limitsExample,
    } satisfies typeof proxyKeySchema.static,
    create: { schema: createProxyKeyBody, example: createExample },
    change: { schema: changeProxyKeyBody, example: { active: false } },
    changeable:
      'Send any of `name`, `active` and `limits`. Of the limits, those that are not sent stay as they are, and null ' +
      'takes one away.',
  },
};

export function keyDocs(kind: KeyKind, { tag, security, noun }: KeyDocsOptions) {
  const { schema, example, create, change, changeable } = kinds[kind];
  const common = { tag, security };
  return {
    list: describe({
      ...common,
      id: `list${noun}s`,
      summary: 'List keys',
      description: 'All keys that are not deleted, newest first.',
      answer: {
        status: 200,
        description: 'The keys.',
        schema: Type.Object({ keys: Type.Array(schema) }),
        example: { keys: [example] },
      },
    }),
    create: describe({
      ...common,
      id: `create${noun}`,
      summary: 'Create a key',
      description:
        'The full key is in this answer and nowhere else, ever. `expires_at` cannot be changed later. An account has ' +
        'at most 1,000 keys. A proxy key of an account whose e-mail address is not verified is refused with 403 ' +
        '`email_not_verified`.',
      headers: idempotencyHeaders,
      body: create,
      answer: {
        status: 201,
        description: 'The key exists.',
        schema: createdKeySchema,
        example: { id: 7, key: `${example.prefix}${'x'.repeat(32)}` },
      },
      errors: ['too_many_keys', 'idempotency_in_progress', 'idempotency_key_reused'],
    }),
    change: describe({
      ...common,
      id: `change${noun}`,
      summary: 'Rename, deactivate, reactivate or limit a key',
      description: `${changeable} In force everywhere when this is answered.`,
      params: keyIdParams,
      body: change,
      answer: { status: 200, description: 'The key as it is now.', schema, example },
      errors: ['not_found', 'wallet_unavailable'],
    }),
    delete: describe({
      ...common,
      id: `delete${noun}`,
      summary: 'Delete a key for good',
      description: 'Callers that use it get 401 from the moment when this is answered.',
      params: keyIdParams,
      answer: { status: 204, description: 'The key is deleted.' },
      errors: ['not_found', 'wallet_unavailable'],
    }),
  };
}
