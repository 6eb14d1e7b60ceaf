/** The documentation of the three places where keys are managed. */
import { Type } from '@sinclair/typebox';
import type { KeyKind } from '../../../shared/keys/api-key.ts';
import { windowedLimits } from '../../../shared/limits/spend-limits.ts';
import { merged } from '../../../shared/members.ts';
import { zeroNano } from '../../../shared/money.ts';
import { keyReused, stillRunning } from '../../http/idempotency/idempotency.ts';
import { tooManyKeys } from '../../keys/create-key.ts';
import { keyNotFound } from '../../keys/find-key.ts';
import { describe, type Security } from '../docs/describe.ts';
import { usdValues } from '../fields/money.ts';
import { idempotencyHeaders, keyIdParams } from '../fields/schemas.ts';
import { changeNotInForce } from './deliver-key.ts';
import { nothingToChange } from './key-bodies.ts';
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
  /** Makes the operation ids unique: `BillingKey`. */
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
    changeable:
      'Send any of `name`, `active` and `expires_at`; omitted fields stay as they are, and null removes the expiry.',
  },
  proxy: {
    schema: proxyKeySchema,
    example: {
      ...billingKeyExample,
      prefix: 'ms-07Zk3QpL',
      lastUsedAt: '2030-01-02T08:30:00.000Z',
      spend30d: 1.284,
      spend30dUsd: '1.284',
      ...merged(windowedLimits.map(({ spent }) => usdValues(spent.name, zeroNano))),
      spendToday: 0.02,
      spendTodayUsd: '0.02',
      spendMonth: 0.31,
      spendMonthUsd: '0.31',
      awaitsVerification: false,
      limits: limitsExample,
    } satisfies typeof proxyKeySchema.static,
    create: { schema: createProxyKeyBody, example: createExample },
    change: { schema: changeProxyKeyBody, example: { active: false } },
    changeable:
      'Send any of `name`, `active`, `expires_at` and `limits`; omitted fields stay as they are, single limits too. Null ' +
      'removes the expiry or a limit.',
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
      description: 'All keys that are not deleted, newest first. The full keys are not shown: they are not stored.',
      response: {
        status: 200,
        description: 'The keys.',
        schema: Type.Object({ keys: Type.Array(schema, { description: 'The keys, newest first.' }) }),
        example: { keys: [example] },
      },
    }),
    create: describe({
      ...common,
      id: `create${noun}`,
      summary: 'Create a key',
      description:
        'Only this response contains the full key; it cannot be retrieved later. An account has at most 1,000 keys. The proxy refuses ' +
        'keys of an account whose e-mail address is not verified with 403 `email_not_verified`.',
      headers: idempotencyHeaders,
      body: create,
      response: {
        status: 201,
        description: 'The key was created.',
        schema: createdKeySchema,
        example: { id: 7, key: `${example.prefix}${'x'.repeat(32)}` },
      },
      errors: [tooManyKeys(), stillRunning(), keyReused()],
    }),
    change: describe({
      ...common,
      id: `change${noun}`,
      summary: 'Rename, deactivate, reactivate or limit a key',
      description:
        `${changeable} You can send a key back as it is listed, with one field changed: fields that only the gateway ` +
        'sets are ignored if they are unchanged. The change is effective everywhere when the response is sent.',
      params: keyIdParams,
      body: change,
      response: { status: 200, description: 'The key after the change.', schema, example },
      errors: [nothingToChange(), keyNotFound(example.id), changeNotInForce(undefined)],
    }),
    rotate: describe({
      ...common,
      id: `rotate${noun}`,
      summary: 'Replace a key with a new one',
      description:
        'Creates a key with the name, limits and expiry of this one, and lets this one expire after `graceHours`: 24 by ' +
        'default, immediately with 0. Until then both work. The new key counts its spending from zero.',
      params: keyIdParams,
      headers: idempotencyHeaders,
      body: { schema: rotateKeyBody, example: { graceHours: 48 }, optional: true },
      response: {
        status: 201,
        description: 'The new key was created.',
        schema: rotatedKeySchema,
        example: {
          id: 8,
          key: `${example.prefix}${'x'.repeat(32)}`,
          replaces: { id: 7, expiresAt: '2030-01-03T12:00:00.000Z' },
        },
      },
      errors: [keyNotFound(example.id), tooManyKeys(), stillRunning(), keyReused()],
    }),
    delete: describe({
      ...common,
      id: `delete${noun}`,
      summary: 'Delete a key for good',
      description: 'Requests with the key are refused with 401 as soon as the response is sent. This cannot be undone.',
      params: keyIdParams,
      response: { status: 204, description: 'The key is deleted.' },
      errors: [keyNotFound(example.id), changeNotInForce(undefined)],
    }),
  };
}
