/**
 * Management of API keys: one set of handlers at three places. `/api/keys` manages proxy keys with a billing key;
 * `/api/proxy-keys` and `/api/billing-keys` are for logged-in users.
 *
 * A change of a proxy key is recorded in Postgres together with an outbox row, and delivered to Redis before the
 * caller is answered, so that a 2xx means it is in force on every replica of the proxy.
 */
import { Elysia } from 'elysia';
import { GatewayError } from '../../shared/errors.ts';
import { checkQuery } from '../../shared/http/check-query.ts';
import { checkValue } from '../../shared/http/check-value.ts';
import type { KeyKind } from '../../shared/keys/api-key.ts';
import { type AccessTokens, accessTokens } from '../auth/access-tokens.ts';
import { changeKey, deleteKey } from '../keys/change-key.ts';
import { createKey } from '../keys/create-key.ts';
import { listKeys } from '../keys/list-keys.ts';
import { parseKeyExpiry, parseKeyName } from '../keys/parse-key-fields.ts';
import type { AdminServices } from '../services.ts';
import { deliverChange, deliverNewKey } from './deliver-key.ts';
import { type KeyDocsOptions, keyDocs } from './key-docs.ts';
import { changeKeyBody, createKeyBody, renderKey } from './key-schemas.ts';
import { keyIdParams } from './schemas.ts';

interface KeyRoutesOptions {
  readonly prefix: string;
  readonly kind: KeyKind;
  readonly docs: KeyDocsOptions;
  /** The account that the caller manages. Throws GatewayError. */
  readonly authenticate: (authorization: string | undefined, tokens: AccessTokens) => Promise<number>;
}

export function keyRoutes(services: AdminServices, { prefix, kind, docs, authenticate }: KeyRoutesOptions) {
  const { db } = services.database;
  const documented = keyDocs(docs);
  return new Elysia({ prefix })
    .use(accessTokens(services.config.jwtSecret))
    .derive(async ({ accessTokens, headers }) => ({
      accountId: await authenticate(headers.authorization, accessTokens),
    }))
    .get(
      '',
      async ({ accountId }) => ({ keys: (await listKeys(db, { accountId, kind })).map(renderKey) }),
      documented.list,
    )
    .post(
      '',
      async ({ accountId, body, set }) => {
        const input = checkValue(createKeyBody, body);
        const order = { accountId, kind, name: parseKeyName(input.name), expiresAt: parseKeyExpiry(input.expires_at) };
        const { id, key } = await createKey(db, services.config.keyPepper, order);
        await deliverNewKey(services, { accountId, kind });
        set.status = 201;
        return { id, key };
      },
      documented.create,
    )
    .put(
      '/:id',
      async ({ accountId, body, params }) => {
        const { id } = checkQuery(keyIdParams, params);
        const { name, active } = checkValue(changeKeyBody, body);
        if (name === undefined && active === undefined) {
          throw new GatewayError('missing_parameter', 'Send `name`, `active` or both.', { param: 'name' });
        }
        const change = {
          ...(name !== undefined && { name: parseKeyName(name) }),
          ...(active !== undefined && { active }),
        };
        const key = found(await changeKey(db, { id, accountId, kind }, change), id);
        await deliverChange(services, { accountId, kind });
        return renderKey(key);
      },
      documented.change,
    )
    .delete(
      '/:id',
      async ({ accountId, params, set }) => {
        const { id } = checkQuery(keyIdParams, params);
        found(await deleteKey(db, { id, accountId, kind }), id);
        await deliverChange(services, { accountId, kind });
        set.status = 204;
      },
      documented.delete,
    );
}

function found<Key>(key: Key | undefined, id: number): Key {
  if (key === undefined) throw new GatewayError('not_found', `There is no key ${id}.`, { param: 'id' });
  return key;
}
