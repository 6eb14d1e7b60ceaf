/** POST /api/playground-key: a proxy key for the session's playground, which pays with the account's balance. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { pepperInUse } from '../../../shared/config/key-peppers.ts';
import { formatUsd } from '../../../shared/money.ts';
import { authenticateUser, authorized } from '../../auth/authorize.ts';
import { Throttle, throttleKey, tooManyAttempts } from '../../auth/throttle/throttle.ts';
import { lockKeysOf } from '../../keys/find-key.ts';
import {
  createPlaygroundKey,
  playgroundKeyHours,
  playgroundKeyLimitNano,
  playgroundKeysMax,
  tooManyPlaygroundKeys,
} from '../../keys/session-keys.ts';
import type { AdminServices } from '../../services.ts';
import { describe } from '../docs/describe.ts';
import { fullKeyLike, proxyKey } from '../fields/example-values.ts';
import { usdText } from '../fields/money.ts';
import { integer, text, timestamp } from '../fields/schemas.ts';
import { deliverNewKey } from '../keys/deliver-key.ts';

/** Of a person in an organization. A session needs one each half day, and another one each time that its last tab is loaded again. */
export const keysADay = 60;
const dayMs = 86_400_000;
const refusal = 'Too many playground keys were created. Try again later.';

export const playgroundKeySchema = Type.Object(
  {
    id: integer('The id of the key, as charged requests name it.', 9),
    key: text(
      'The full key. It is shown only once: keep it in memory, and create another one if it is lost.',
      fullKeyLike(proxyKey.prefix),
    ),
    expiresAt: timestamp('When the key stops working.', '2030-01-02T00:00:00.000Z'),
    spendLimit: usdText('The most that the key may spend in total.', formatUsd(playgroundKeyLimitNano)),
  },
  { title: 'PlaygroundKey' },
);

const docs = describe({
  id: 'createPlaygroundKey',
  permission: 'keys:manage',
  summary: 'Create a key for the playground',
  description:
    `A proxy key for trying models in the dashboard. It works for ${playgroundKeyHours} hours, may spend ` +
    `$${formatUsd(playgroundKeyLimitNano)}, and is deleted when its session ends or creates another one. Lists of keys leave ` +
    `it out; its requests are named \`Playground\`. An account has at most ${playgroundKeysMax} at a time, and each of its people makes ` +
    `at most ${keysADay} a day.`,
  tag: 'Proxy keys',
  response: {
    status: 201,
    description: 'The key was created, and the previous one of the session deleted.',
    schema: playgroundKeySchema,
  },
  errors: [tooManyPlaygroundKeys(), tooManyAttempts(refusal, dayMs)],
});

export function playgroundRoute(services: AdminServices) {
  const { config, database, log, redis } = services;
  const throttle = new Throttle(redis, log);
  return new Elysia().use(authorized(services)).post(
    '/api/playground-key',
    async ({ accessTokens, caller, headers, set }): Promise<typeof playgroundKeySchema.static> => {
      const { accountId, id: userId, sessionId } = caller;
      const person = throttleKey('playground-keys', `${accountId}:${userId}`);
      await throttle.take([{ key: person, max: keysADay, windowMs: dayMs }], refusal);
      const { id, key, expiresAt } = await database.db.transaction(async (transaction) => {
        await lockKeysOf(transaction, accountId);
        // A session that has ended since must not leave a key behind.
        await authenticateUser({ database: { db: transaction } }, accessTokens, headers.authorization);
        return createPlaygroundKey(transaction, pepperInUse(config), { accountId, userId, sessionId });
      });
      await deliverNewKey(services, { accountId, kind: 'proxy' });
      set.status = 201;
      return { id, key, expiresAt: expiresAt.toISOString(), spendLimit: formatUsd(playgroundKeyLimitNano) };
    },
    docs,
  );
}
