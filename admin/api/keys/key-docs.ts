/** The documentation of the three places where keys are managed. */
import { type TObject, Type } from '@sinclair/typebox';
import type { KeyKind } from '../../../shared/keys/api-key.ts';
import { exampleOf } from '../../../shared/openapi/example-of.ts';
import { tooManyAttempts } from '../../auth/throttle/throttle.ts';
import { keyReused, stillRunning } from '../../http/idempotency/idempotency.ts';
import { tooManyKeys } from '../../keys/create-key.ts';
import { keyNotFound } from '../../keys/find-key.ts';
import { noSuchProject } from '../../keys/key-project.ts';
import { describe } from '../docs/describe.ts';
import type { Credential } from '../docs/error-examples.ts';
import { billingKeyPrefix, fullKeyLike, project, proxyKey } from '../fields/example-values.ts';
import { idempotencyHeaders, keyIdParams } from '../fields/schemas.ts';
import { changeNotInForce } from './deliver-key.ts';
import { nothingToChange } from './key-bodies.ts';
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
  readonly credential: Credential;
  /** Makes the operation ids unique: `BillingKey`. */
  readonly noun: string;
}

/** Of an organization: each is an event for its webhooks, and so is its deletion. */
export const newKeysMax = 2_000;
export const newKeysWindowMs = 3_600_000;
export const newKeysRefusal = 'Too many keys were created. Try again later.';

const kinds = {
  billing: {
    schema: billingKeySchema,
    prefix: billingKeyPrefix,
    createBody: createBillingKeyBody,
    changeBody: changeBillingKeyBody,
    changeable:
      'Send any of `name`, `active` and `expires_at`; omitted fields stay as they are, and null removes the expiry.',
  },
  proxy: {
    schema: proxyKeySchema,
    prefix: proxyKey.prefix,
    createBody: createProxyKeyBody,
    changeBody: changeProxyKeyBody,
    changeable:
      'Send any of `name`, `active`, `expires_at`, `projectId`, `allowedIps`, `dataPolicy`, `cacheSeconds` and `limits`; omitted fields ' +
      'stay as they are, single limits too. Null removes the expiry or a limit.',
  },
};

const tooManyNewKeys = () => tooManyAttempts(newKeysRefusal, newKeysWindowMs);

export function keyDocs(kind: KeyKind, { tag, credential, noun }: KeyDocsOptions) {
  const { schema, prefix, createBody, changeBody, changeable } = kinds[kind];
  const projectErrors = kind === 'proxy' ? [noSuchProject(project.id)] : [];
  const common = { tag, credential, permission: kind === 'proxy' ? 'keys:manage' : 'billing-keys:manage' } as const;
  const example = exampleOf<TObject>(schema, { prefix });
  const key = fullKeyLike(prefix);
  return {
    list: describe({
      ...common,
      permission: kind === 'proxy' ? 'keys:read' : 'billing-keys:read',
      id: `list${noun}s`,
      summary: 'List keys',
      description: 'All keys that are not deleted, newest first. The full keys are not shown: they are not stored.',
      response: {
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
        'Only this response contains the full key; it cannot be retrieved later. An account has at most 1,000 keys, and creates ' +
        `at most ${newKeysMax.toLocaleString('en')} an hour. The proxy refuses ` +
        'keys of an account whose e-mail address is not verified with 403 `email_not_verified`.',
      headers: idempotencyHeaders,
      body: { schema: createBody },
      response: {
        status: 201,
        description: 'The key was created.',
        schema: createdKeySchema,
        example: exampleOf(createdKeySchema, { key }),
      },
      errors: [...projectErrors, tooManyKeys(), tooManyNewKeys(), stillRunning(), keyReused()],
    }),
    change: describe({
      ...common,
      id: `change${noun}`,
      summary: 'Rename, deactivate, reactivate, move or limit a key',
      description:
        `${changeable} You can send a key back as it is listed, with one field changed: fields that only the gateway ` +
        'sets are ignored if they are unchanged. The change is effective everywhere when the response is sent.',
      params: keyIdParams,
      body: { schema: changeBody, example: { active: false } },
      response: { description: 'The key after the change.', schema, example },
      errors: [nothingToChange(), ...projectErrors, keyNotFound(proxyKey.id), changeNotInForce(undefined)],
    }),
    rotate: describe({
      ...common,
      id: `rotate${noun}`,
      summary: 'Replace a key with a new one',
      description:
        'Creates a key with the name, project, allowed IP addresses, data policy, limits and expiry of this one, and lets this one expire ' +
        'after `graceHours`: 24 by default, immediately with 0. Until then both work. The new key counts its spending from zero.',
      params: keyIdParams,
      headers: idempotencyHeaders,
      body: { schema: rotateKeyBody, example: { graceHours: 48 }, optional: true },
      response: {
        status: 201,
        description: 'The new key was created.',
        schema: rotatedKeySchema,
        example: exampleOf(rotatedKeySchema, { id: proxyKey.id + 1, key }),
      },
      errors: [keyNotFound(proxyKey.id), tooManyKeys(), tooManyNewKeys(), stillRunning(), keyReused()],
    }),
    delete: describe({
      ...common,
      id: `delete${noun}`,
      summary: 'Delete a key for good',
      description: 'Requests with the key are refused with 401 as soon as the response is sent. This cannot be undone.',
      params: keyIdParams,
      response: { status: 204, description: 'The key is deleted.' },
      errors: [keyNotFound(proxyKey.id), changeNotInForce(undefined)],
    }),
  };
}
