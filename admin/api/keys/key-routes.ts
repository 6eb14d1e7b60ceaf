/**
 * Management of API keys: one set of handlers in three places. `/api/keys` manages proxy keys with a billing key;
 * `/api/proxy-keys` and `/api/billing-keys` are for logged-in users.
 *
 * A change of a proxy key is recorded in Postgres together with an outbox row, and delivered to Redis before the
 * response, so that a 2xx means it is effective on every replica of the proxy.
 */
import { Elysia } from 'elysia';
import { pepperInUse } from '../../../shared/config/key-peppers.ts';
import type { KeyKind } from '../../../shared/keys/api-key.ts';
import type { KeyScope } from '../../auth/authorize.ts';
import type { Permission } from '../../auth/permissions.ts';
import { type AccessTokens, accessTokens } from '../../auth/sessions/access-tokens.ts';
import { Throttle, throttleKey } from '../../auth/throttle/throttle.ts';
import type { Db, Transaction } from '../../database/connect.ts';
import { withIdempotency } from '../../http/idempotency/idempotency.ts';
import { readIdempotencyKey } from '../../http/idempotency/idempotency-key.ts';
import { callerAddress } from '../../http/request/caller-address.ts';
import { checkQuery } from '../../http/request/check-query.ts';
import { requestIdOf } from '../../http/response-headers.ts';
import { changeKey, deleteKey, type KeyChange } from '../../keys/change-key.ts';
import { type CreatedKey, createKey } from '../../keys/create-key.ts';
import {
  findKey,
  type Key,
  type KeyFilter,
  type KeyOwner,
  keyNotFound,
  listKeys,
  lockKey,
  lockKeysOf,
} from '../../keys/find-key.ts';
import {
  type KeyFields,
  recordChangedKey,
  recordCreatedKey,
  recordDeletedKey,
  recordRotatedKey,
} from '../../keys/record-key-action.ts';
import { type RotatedKey, type Rotation, rotateKey } from '../../keys/rotate-key.ts';
import type { Actor } from '../../operations/audit/record-action.ts';
import type { AdminServices } from '../../services.ts';
import { keyIdParams } from '../fields/schemas.ts';
import { deliverChange, deliverNewKey } from './deliver-key.ts';
import { checkNewKey, checkRotation, parseKeyChange, parseNewKey, parseRotation } from './key-bodies.ts';
import { type KeyDocsOptions, keyDocs, newKeysMax, newKeysRefusal, newKeysWindowMs } from './key-docs.ts';
import { renderReplaced } from './key-schemas.ts';
import { renderKeys, renderOne } from './render-keys.ts';

interface KeyRoutesOptions {
  readonly prefix: string;
  readonly kind: KeyKind;
  readonly docs: KeyDocsOptions;
  /** Whose keys the client manages. Throws GatewayError. */
  readonly authenticate: (db: Db | Transaction, client: Client) => Promise<Manager>;
}

interface Manager extends KeyScope {
  readonly accountId: number;
  /** For the audit log. */
  readonly name: string;
  /** Null for a billing key. */
  readonly userId: number | null;
}

interface Client {
  readonly authorization: string | undefined;
  /** Of the operation that it calls. */
  readonly permission: Permission;
  readonly tokens: AccessTokens;
}

export function keyRoutes(services: AdminServices, { prefix, kind, docs, authenticate }: KeyRoutesOptions) {
  const { config, database } = services;
  const { db } = database;
  const documented = keyDocs(kind, docs);
  const countNewKey = countingNewKeys(services);
  return new Elysia({ prefix })
    .use(authorize(services, authenticate))
    .get('', ({ filter }) => readKeys(db, { ...filter, kind }), documented.list)
    .post(
      '',
      async ({ actor, filter: { accountId, keysOf }, authorizeAgain, body, headers, set }) => {
        const key = readIdempotencyKey(headers['idempotency-key']);
        const order = checkNewKey(kind, body);
        await countNewKey(accountId);
        const request = { accountId, endpoint: endpointOf(`POST ${prefix}`, { keysOf }), key, body };
        const response = await withIdempotency({ db, config }, request, async (transaction) => {
          const fields = await parseNewKey(transaction, order);
          await authorizeAgain(transaction);
          const place = { accountId, kind, pepper: pepperInUse(config) };
          const made = await createAudited(transaction, actor, { ...place, keysOf, fields });
          return { status: 201, body: { id: made.id, key: made.key } };
        });
        await deliverNewKey(services, { accountId, kind });
        set.status = response.status;
        return response.body;
      },
      documented.create,
    )
    .put(
      '/:id',
      async ({ actor, filter, authorizeAgain, body, params }) => {
        const { id } = checkQuery(keyIdParams, params);
        const owner = { id, ...filter, kind };
        const shown = await renderOne(db, owner, found(await findKey(db, owner), id));
        const change = await parseKeyChange(db, { kind, shown }, body);
        if (Object.keys(change).length === 0) return shown;
        const changed = await db.transaction(async (transaction) => {
          await authorizeAgain(transaction);
          return changeAudited(transaction, actor, { owner, change });
        });
        await deliverChange(services, owner);
        return renderOne(db, owner, changed);
      },
      documented.change,
    )
    .post(
      '/:id/rotate',
      async ({ actor, filter, authorizeAgain, body, headers, params, set }) => {
        const { id } = checkQuery(keyIdParams, params);
        const { accountId } = filter;
        const key = readIdempotencyKey(headers['idempotency-key']);
        const order = checkRotation(body);
        await countNewKey(accountId);
        const request = { accountId, endpoint: endpointOf(`POST ${prefix}/${id}/rotate`, filter), key, body };
        const response = await withIdempotency({ db, config }, request, async (transaction) => {
          await authorizeAgain(transaction);
          const place = { pepper: pepperInUse(config), owner: { id, ...filter, kind } };
          const { created, old } = await rotateAudited(transaction, actor, { place, rotation: parseRotation(order) });
          return { status: 201, body: { id: created.id, key: created.key, replaces: renderReplaced(old) } };
        });
        await deliverNewKey(services, { accountId, kind });
        set.status = response.status;
        return response.body;
      },
      documented.rotate,
    )
    .delete(
      '/:id',
      async ({ actor, filter, authorizeAgain, params, set }) => {
        const { id } = checkQuery(keyIdParams, params);
        await deleteAudited(db, actor, { owner: { id, ...filter, kind }, authorizeAgain });
        await deliverChange(services, { ...filter, kind });
        set.status = 204;
      },
      documented.delete,
    );
}

function countingNewKeys({ redis, log }: AdminServices) {
  const throttle = new Throttle(redis, log);
  return (accountId: number) => {
    const key = throttleKey('new-keys', String(accountId));
    return throttle.take([{ key, max: newKeysMax, windowMs: newKeysWindowMs }], newKeysRefusal);
  };
}

async function readKeys(db: Db, filter: KeyFilter) {
  return { keys: await renderKeys(db, filter, await listKeys(db, filter)) };
}

async function createAudited(
  transaction: Transaction,
  actor: Actor,
  { pepper, fields, ...filter }: KeyFilter & { pepper: string; fields: KeyFields },
): Promise<CreatedKey> {
  const { accountId, kind } = filter;
  const made = await createKey(transaction, pepper, { ...fields, ...filter, createdBy: actor.userId });
  await recordCreatedKey(transaction, actor, { accountId, kind, fields, made });
  return made;
}

async function rotateAudited(
  transaction: Transaction,
  actor: Actor,
  { place, rotation }: { place: { pepper: string; owner: KeyOwner }; rotation: Rotation },
): Promise<RotatedKey> {
  const rotated = found(await rotateKey(transaction, place, rotation), place.owner.id);
  await recordRotatedKey(transaction, actor, rotated);
  return rotated;
}

async function changeAudited(
  transaction: Transaction,
  actor: Actor,
  { owner, change }: { owner: KeyOwner; change: KeyChange },
): Promise<Key> {
  const before = found(await lockKey(transaction, owner), owner.id);
  const after = found(await changeKey(transaction, owner, change), owner.id);
  await recordChangedKey(transaction, actor, { before, after, change });
  return after;
}

function deleteAudited(
  db: Db,
  actor: Actor,
  { owner, authorizeAgain }: { owner: KeyOwner; authorizeAgain: (transaction: Transaction) => Promise<void> },
): Promise<void> {
  return db.transaction(async (transaction) => {
    await authorizeAgain(transaction);
    await recordDeletedKey(transaction, actor, found(await deleteKey(transaction, owner), owner.id));
  });
}

/** Routes with a `permission` have `filter` and `actor`, and `authorizeAgain` for their transactions. */
function authorize({ database, config }: AdminServices, authenticate: KeyRoutesOptions['authenticate']) {
  return new Elysia().use(accessTokens(config)).macro({
    permission: (permission: Permission) => ({
      resolve: async ({ accessTokens: tokens, headers: { authorization }, request, server, set }) => {
        const client = { authorization, permission, tokens };
        const { name, userId, ...filter } = await authenticate(database.db, client);
        const address = callerAddress({ request, server }, config);
        const actor: Actor = { name, userId, address, requestId: requestIdOf(set), isMember: true };
        /** A verification that was committed after the client was admitted must not be undone. */
        const authorizeAgain = async (transaction: Transaction) => {
          await lockKeysOf(transaction, filter.accountId);
          await authenticate(transaction, client);
        };
        return { actor, filter, authorizeAgain };
      },
    }),
  });
}

/** A repetition is answered with the full key, so those who see only their own keys repeat only their own requests. */
const endpointOf = (route: string, { keysOf }: KeyScope) =>
  keysOf === undefined ? route : `${route} by user ${keysOf}`;

function found<Found>(key: Found | undefined, id: number): Found {
  if (key === undefined) throw keyNotFound(id);
  return key;
}
