/**
 * Repeated requests do their work once, whichever process crashes, and only their sender can read the stored response.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { type IdempotentRequest, withIdempotency } from '../../../../admin/http/idempotency/idempotency.ts';
import { readIdempotencyKey, requireIdempotencyKey } from '../../../../admin/http/idempotency/idempotency-key.ts';
import { openResponse, sealResponse } from '../../../../admin/http/idempotency/idempotency-seal.ts';
import { purgeIdempotentResponses } from '../../../../admin/workers/purge-expired.ts';
import { type Harness, startHarness } from '../../../harness.ts';

let harness: Harness;
let services: { db: Harness['database']['db']; config: { keyPeppers: readonly string[] } };
beforeAll(async () => {
  harness = await startHarness();
  services = { db: harness.database.db, config: { keyPeppers: [harness.keyPepper] } };
  await harness.database.sql`CREATE TABLE done (what text NOT NULL)`;
});
afterAll(() => harness.stop());

const newRequest = (change: Partial<IdempotentRequest> = {}): IdempotentRequest => ({
  accountId: 1,
  endpoint: 'POST /api/things',
  key: crypto.randomUUID(),
  body: { name: 'x' },
  ...change,
});

/** Leaves a mark each time the work is really done. */
function doOnce(
  request: IdempotentRequest,
  what: string,
  meanwhile: () => Promise<void> = async () => {},
  { keyPeppers } = services.config,
) {
  return withIdempotency({ ...services, config: { keyPeppers } }, request, async (transaction) => {
    await transaction.execute(sql`INSERT INTO done VALUES (${what})`);
    await meanwhile();
    return { status: 201, body: { secret: crypto.randomUUID() } };
  });
}

async function timesDone(what: string): Promise<number> {
  const [row] = await harness.database.sql`SELECT count(*) AS n FROM done WHERE what = ${what}`;
  return Number(row?.n);
}

describe('the same request again', () => {
  test('gets the first response, and does nothing', async () => {
    const request = newRequest();
    const first = await doOnce(request, 'repeated');
    expect(first.status).toBe(201);
    for (let time = 0; time < 3; time += 1) expect(await doOnce(request, 'repeated')).toEqual(first);
    expect(await timesDone('repeated')).toBe(1);
  });

  test('is recognised whatever the order of its fields', async () => {
    const request = newRequest({ body: { a: 1, b: { c: 2, d: 3 } } });
    const first = await doOnce(request, 'reordered');
    expect(await doOnce({ ...request, body: { b: { d: 3, c: 2 }, a: 1 } }, 'reordered')).toEqual(first);
  });

  test('is another request without an Idempotency-Key', async () => {
    const request = newRequest({ key: undefined });
    await doOnce(request, 'keyless');
    await doOnce(request, 'keyless');
    expect(await timesDone('keyless')).toBe(2);
  });

  test('is refused with 422 if its body differs', async () => {
    const request = newRequest();
    await doOnce(request, 'other body');
    const other = doOnce({ ...request, body: { name: 'y' } }, 'other body');
    await expect(other).rejects.toMatchObject({ code: 'idempotency_key_reused', status: 422 });
    expect(await timesDone('other body')).toBe(1);
  });

  test('is another request for another account or another endpoint', async () => {
    const request = newRequest();
    const responses = [
      await doOnce(request, 'scoped'),
      await doOnce({ ...request, accountId: 2 }, 'scoped'),
      await doOnce({ ...request, endpoint: 'POST /api/others' }, 'scoped'),
    ];
    expect(new Set(responses.map(({ body }) => body.secret)).size).toBe(3);
  });

  test('is executed again after 24 hours, whether or not the old response was removed', async () => {
    const request = newRequest();
    const first = await doOnce(request, 'kept for a day');
    const { sql: client } = harness.database;
    const [kept] = await client`SELECT max(expires_at) - now() > interval '23 hours 59 minutes' AS long
      FROM idempotent_answers`;
    expect(kept?.long).toBe(true);
    await client`UPDATE idempotent_answers SET expires_at = now() - interval '1 second'`;
    const second = await doOnce(request, 'kept for a day');
    expect(second.body.secret).not.toBe(first.body.secret);
    expect(await doOnce(request, 'kept for a day')).toEqual(second);
  });
});

describe('while KEY_PEPPER is being replaced', () => {
  const [former, fresh] = ['the former pepper', 'the new pepper'];
  const doWith = (keyPeppers: readonly string[], request: IdempotentRequest, meanwhile?: () => Promise<void>) =>
    doOnce(request, 'rotated', meanwhile, { keyPeppers });

  test('a request gets its first response whichever pepper is in use', async () => {
    const request = newRequest();
    const first = await doWith([former], request);
    for (const peppers of [[former, fresh], [fresh, former], [former]])
      expect(await doWith(peppers, request)).toEqual(first);
    await expect(doWith([fresh, former], { ...request, body: { name: 'y' } })).rejects.toMatchObject({ status: 422 });
    expect(await timesDone('rotated')).toBe(1);
  });

  test('replicas that use different peppers do not both do the work', async () => {
    const request = newRequest();
    let refusal: unknown;
    await doWith([former, fresh], request, async () => {
      refusal = await doWith([fresh, former], request).catch((error: unknown) => error);
    });
    expect(refusal).toMatchObject({ code: 'idempotency_in_progress' });
  });
});

describe('while the first request runs', () => {
  test('the same request is refused with 409 on any replica, and gets the response afterwards', async () => {
    const request = newRequest();
    const started = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    const first = doOnce(request, 'running', async () => {
      started.resolve();
      await mayEnd.promise;
    });
    await started.promise;
    const second = doOnce(request, 'running');
    await expect(second).rejects.toMatchObject({ code: 'idempotency_in_progress', status: 409 });
    mayEnd.resolve();
    const response = await first;
    expect(await doOnce(request, 'running')).toEqual(response);
    expect(await timesDone('running')).toBe(1);
  });

  test('one of many concurrent requests does the work, and no other gets a different response', async () => {
    const request = newRequest();
    const settled = await Promise.allSettled(Array.from({ length: 12 }, () => doOnce(request, 'many')));
    const secrets = settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value.body.secret] : []));
    expect(new Set(secrets).size).toBe(1);
    for (const result of settled) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'idempotency_in_progress' });
    }
    expect(await timesDone('many')).toBe(1);
  });
});

describe('work that fails', () => {
  test('leaves nothing behind, and can be retried with the same key', async () => {
    const request = newRequest();
    const failing = doOnce(request, 'failed', () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    expect(await timesDone('failed')).toBe(0);
    expect((await doOnce({ ...request, body: { name: 'mended' } }, 'failed')).status).toBe(201);
    expect(await timesDone('failed')).toBe(1);
  });

  test('work whose connection is lost leaves no mark that it is still running', async () => {
    const request = newRequest();
    const killed = withIdempotency(services, request, async (transaction) => {
      await transaction.execute(sql`INSERT INTO done VALUES ('killed')`);
      const [session] = await transaction.execute<{ pid: number }>(sql`SELECT pg_backend_pid() AS pid`);
      await harness.database.sql`SELECT pg_terminate_backend(${session?.pid ?? 0})`;
      return { status: 201, body: {} };
    });
    await expect(killed).rejects.toThrow();
    expect((await doOnce(request, 'killed')).status).toBe(201);
    expect(await timesDone('killed')).toBe(1);
  });
});

describe('the stored response', () => {
  test('contains neither the key nor the response in clear, and cannot be decrypted without the key', async () => {
    const request = newRequest({ body: { name: 'a name of its own' } });
    const { body } = await doOnce(request, 'sealed');
    const rows = await harness.database.sql`SELECT *, encode(answer, 'escape') AS text FROM idempotent_answers`;
    const text = JSON.stringify(rows);
    for (const canary of [request.key ?? '', body.secret, 'a name of its own']) expect(text).not.toContain(canary);
  });

  test('a response can only be decrypted with its own scope and pepper, and only unchanged', () => {
    const scope = { accountId: 1, endpoint: 'POST /x', key: 'k' };
    const sealed = sealResponse('pepper', scope, '{"a":"ё"}');
    expect(openResponse('pepper', scope, sealed)).toBe('{"a":"ё"}');
    expect(() => openResponse('other', scope, sealed)).toThrow();
    for (const change of [{ accountId: 2 }, { endpoint: 'POST /y' }, { key: 'l' }]) {
      expect(() => openResponse('pepper', { ...scope, ...change }, sealed)).toThrow();
    }
    for (let index = 0; index < sealed.length; index += 1) {
      const changed = Buffer.from(sealed);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(() => openResponse('pepper', scope, changed)).toThrow();
    }
    expect(sealResponse('pepper', scope, '{"a":"ё"}').equals(sealed)).toBe(false);
  });

  test('is removed if it has expired, and otherwise stays', async () => {
    const { sql: client } = harness.database;
    await client`DELETE FROM idempotent_answers`;
    await doOnce(newRequest(), 'purged');
    await client`UPDATE idempotent_answers SET expires_at = now() - interval '1 second'`;
    const kept = newRequest();
    const response = await doOnce(kept, 'purged');
    expect(await purgeIdempotentResponses(client)).toBe(1);
    expect(await doOnce(kept, 'purged')).toEqual(response);
  });
});

describe('the Idempotency-Key header', () => {
  test.each(['a', 'x'.repeat(255), '8e03978e-40d5-43e8-bc93-6894a57f9324', '"quoted"'])('accepts %p', (key) => {
    expect(readIdempotencyKey(key)).toBe(key);
  });

  test.each(['', ' ', 'a b', 'x'.repeat(256), 'ключ', 'a\tb'])('returns 400 for %p', (key) => {
    expect(() => readIdempotencyKey(key)).toThrow(
      expect.objectContaining({ code: 'invalid_parameter', param: 'Idempotency-Key' }),
    );
  });

  test('returns 400 if it is missing where it is required', () => {
    expect(readIdempotencyKey(undefined)).toBeUndefined();
    expect(() => requireIdempotencyKey(undefined)).toThrow(expect.objectContaining({ code: 'missing_parameter' }));
    expect(requireIdempotencyKey('a')).toBe('a');
  });
});
