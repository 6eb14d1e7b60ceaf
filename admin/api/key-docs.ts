/** What the documentation says about the three places where keys are managed. */
import { describe, type Security } from '../docs/describe.ts';
import { changeKeyBody, createdKeySchema, createKeyBody, keyListSchema, keySchema } from './key-schemas.ts';
import { keyIdParams } from './schemas.ts';

export interface KeyDocsOptions {
  readonly tag: string;
  readonly security: Security;
  /** Makes the operations' ids unique: `BillingKey`. */
  readonly noun: string;
  /** How a key begins, for the examples. */
  readonly keyBegins: 'ms-' | 'mk-';
}

export function keyDocs({ tag, security, noun, keyBegins }: KeyDocsOptions) {
  const prefix = `${keyBegins}07Zk3QpL`;
  const key = {
    id: 7,
    name: 'production',
    prefix,
    active: true,
    createdAt: '2030-01-01T12:00:00.000Z',
    expiresAt: null,
  } satisfies typeof keySchema.static;
  const common = { tag, security };
  return {
    list: describe({
      ...common,
      id: `list${noun}s`,
      summary: 'List keys',
      description: 'All keys that are not deleted, newest first.',
      answer: { status: 200, description: 'The keys.', schema: keyListSchema, example: { keys: [key] } },
    }),
    create: describe({
      ...common,
      id: `create${noun}`,
      summary: 'Create a key',
      description: 'The full key is in this answer and nowhere else, ever. `expires_at` cannot be changed later.',
      body: { schema: createKeyBody, example: { name: 'production', expires_at: '2031-01-01T00:00:00Z' } },
      answer: {
        status: 201,
        description: 'The key exists.',
        schema: createdKeySchema,
        example: { id: 7, key: `${prefix}${'x'.repeat(32)}` },
      },
    }),
    change: describe({
      ...common,
      id: `change${noun}`,
      summary: 'Rename, deactivate or reactivate a key',
      description: 'Send `name`, `active` or both. In force everywhere when this is answered.',
      params: keyIdParams,
      body: { schema: changeKeyBody, example: { active: false } },
      answer: { status: 200, description: 'The key as it is now.', schema: keySchema, example: key },
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
