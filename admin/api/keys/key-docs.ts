/** What the documentation says about the three places where keys are managed. */
import { Type } from '@sinclair/typebox';
import type { KeyKind } from '../../../shared/keys/api-key.ts';
import { describe, type Security } from '../../docs/describe.ts';
import { idempotencyHeaders, keyIdParams } from '../fields/schemas.ts';
import { limitsExample } from './key-limits-schemas.ts';
import {
  billingKeySchema,
  changeBillingKeyBody,
  changeProxyKeyBody,
  createBillingKeyBody,
  createdKeySchema,
  createProxyKeyBody,
  proxyKeySchema,
  rotatedKeySchema,
  rotateKeyBody,
} from './key-schemas.ts';

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
  state: 'active',
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
    changeable: 'Send any of `name`, `active` and `expires_at`; null takes the expiry away.',
  },
  proxy: {
    schema: proxyKeySchema,
    example: {
      ...billingKeyExample,
      prefix: 'ms-07Zk3QpL',
      lastUsedAt: '2030-01-02T08:30:00.000Z',
      spend30d: 1.284,
      spend30dUsd: '1.284',
      awaitsVerification: false,
      limits: limitsExample,
    } satisfies typeof proxyKeySchema.static,
    create: { schema: createProxyKeyBody, example: createExample },
    change: { schema: changeProxyKeyBody, example: { active: false } },
    changeable:
      'Send any of `name`, `active`, `expires_at` and `limits`. Of the limits, those that are not sent stay as they are. ' +
      'Null takes the expiry or a limit away.',
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
        'The full key is in this answer and nowhere else, ever. An account has at most 1,000 keys. A proxy key of an ' +
        'account whose e-mail address is not verified is refused with 403 `email_not_verified`.',
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
      description:
        `${changeable} A key as it is listed may be sent back with one field changed; what only the gateway sets is ` +
        'ignored where it is unchanged. In force everywhere when this is answered.',
      params: keyIdParams,
      body: change,
      answer: { status: 200, description: 'The key as it is now.', schema, example },
      errors: ['not_found', 'wallet_unavailable'],
    }),
    rotate: describe({
      ...common,
      id: `rotate${noun}`,
      summary: 'Replace a key by a new one',
      description:
        'Makes a key with the name, the limits and the expiry of this one, and lets this one expire after `graceHours`, ' +
        '24 where nothing is said, 0 for at once. Until then both work. The new key counts its own spending from zero.',
      params: keyIdParams,
      headers: idempotencyHeaders,
      body: { schema: rotateKeyBody, example: { graceHours: 48 }, optional: true },
      answer: {
        status: 201,
        description: 'The new key exists.',
        schema: rotatedKeySchema,
        example: {
          id: 8,
          key: `${example.prefix}${'x'.repeat(32)}`,
          replaces: { id: 7, expiresAt: '2030-01-03T12:00:00.000Z' },
        },
      },
      errors: ['not_found', 'too_many_keys', 'idempotency_in_progress', 'idempotency_key_reused'],
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
