/** /v1/files through the real programs and the official client: whose files are, what is refused, and what is at rest. */
import { afterAll, describe, expect, test } from 'bun:test';
import OpenAI, { toFile } from 'openai';
import { Files, fileMaxBytes, filesMax, newFileId } from '../../../../proxy/storage/files.ts';
import { SealedObjects } from '../../../../proxy/storage/sealed-objects.ts';
import { guardTimeoutMs, waitFor } from '../../../harness/account-view.ts';
import { rawConnection, requestHead, statusOf as statusOfText } from '../../../harness/clients/raw-exchange.ts';
import type { Customer } from '../../../harness/customers.ts';
import { startGateway } from '../../../harness/gateway.ts';
import { filesSecret, openTestStore } from '../../../harness/storage/stores.ts';

const place = await openTestStore('folder');
const maxBytes = 1024 * 1024 * 1024;
const gateway = await startGateway({
  proxyEnvironment: { ...place.environment, FILES_MAX_BYTES: String(maxBytes) },
});
const { harness, proxy, admin, stop } = gateway;

afterAll(async () => {
  await stop();
  await place.remove();
});

const lines = Array.from({ length: 3_000 }, (_, index) => `{"custom_id":"line-${index}","secret":"квартал"}\n`).join(
  '',
);
const clientOf = ({ proxyKey: apiKey }: Customer) => new OpenAI({ baseURL: `${proxy.url}/v1`, apiKey, maxRetries: 0 });
const newCustomer = async () => {
  const customer = await harness.createCustomer({ usd: '1' });
  const client = clientOf(customer);
  await waitFor('the wallet', guardTimeoutMs, () => client.files.list().catch(() => undefined));
  return { customer, client };
};
const upload = async (client: OpenAI, text = lines, name = 'лист.jsonl') =>
  client.files.create({ file: await toFile(Buffer.from(text), name), purpose: 'batch' });
const statusOf = (call: Promise<unknown>) =>
  call.then(
    () => 200,
    (error: unknown) => (error instanceof OpenAI.APIError ? [error.status, error.code, error.param ?? null] : error),
  );

/** Stores as much that this is what the limit of bytes leaves. Returns what is stored, in the order of creation. */
async function leaveRoom({ accountId }: Customer, bytes: number) {
  const objects = new SealedObjects(place.store, () => [filesSecret]);
  const expiresAt = Math.floor(Date.now() / 1_000) + 1_000;
  await objects.writeText(`files/${accountId}/${newFileId()},batch,${maxBytes - bytes},${expiresAt}`, '{}');
  return async () => {
    const files = await new Files(objects, { maxBytes }).list(accountId);
    const names = [...(await place.bytesAtRest()).keys()];
    return {
      sizes: files.map((file) => file.bytes),
      contents: names.filter((name) => name.startsWith(`content/${accountId}/`)).length,
      incoming: names.filter((name) => name.startsWith('.incoming')).length,
    };
  };
}

/** Sends everything but the end of the form. */
function beginUpload(
  { proxyKey }: Customer,
  { bytes, isAnnounced }: { readonly bytes: number; readonly isAnnounced: boolean },
) {
  const part = (disposition: string, body: string) =>
    `--b\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n${body}`;
  const form = `${part('name="purpose"', 'batch')}\r\n${part('name="file"; filename="a"', 'x'.repeat(bytes))}`;
  const last = '\r\n--b--\r\n';
  const chunk = (text: string) => (isAnnounced ? text : `${text.length.toString(16)}\r\n${text}\r\n`);
  const connection = rawConnection(proxy.url);
  connection.send(
    requestHead('POST /v1/files', {
      authorization: `Bearer ${proxyKey}`,
      'content-type': 'multipart/form-data; boundary=b',
      connection: 'close',
      ...(isAnnounced ? { 'content-length': form.length + last.length } : { 'transfer-encoding': 'chunked' }),
    }) + chunk(form),
  );
  return {
    /** Resolves with the status, and the code of an error. */
    end: async () => {
      connection.send(chunk(last) + (isAnnounced ? '' : '0\r\n\r\n'));
      const text = await connection.closed;
      const [, code] = /"code":"(\w+)"/.exec(text) ?? [];
      return [statusOfText(text), ...(code === undefined ? [] : [code])];
    },
  };
}

describe('a file', () => {
  test('is described, listed, read to the byte, and deleted', async () => {
    const { client } = await newCustomer();
    const file = await upload(client);
    expect(file).toMatchObject({
      object: 'file',
      bytes: Buffer.byteLength(lines),
      filename: 'лист.jsonl',
      purpose: 'batch',
      status: 'processed',
    });
    expect((file.expires_at ?? 0) - file.created_at).toBe(30 * 24 * 60 * 60);
    expect(await client.files.retrieve(file.id)).toEqual(file);
    expect((await client.files.list()).data).toEqual([file]);
    expect(await (await client.files.content(file.id)).text()).toBe(lines);
    expect(await client.files.delete(file.id)).toEqual({ id: file.id, object: 'file', deleted: true });
    expect(await statusOf(client.files.retrieve(file.id))).toEqual([404, 'not_found', null]);
    expect(await statusOf(client.files.content(file.id))).toEqual([404, 'not_found', null]);
    expect((await client.files.list()).data).toEqual([]);
  });

  test('may expire sooner, and is gone once it has', async () => {
    const { client, customer } = await newCustomer();
    const expiring = await client.files.create({
      file: await toFile(Buffer.from(lines), 'a.jsonl'),
      purpose: 'batch',
      expires_after: { anchor: 'created_at', seconds: 3_600 },
    });
    expect((expiring.expires_at ?? 0) - expiring.created_at).toBe(3_600);
    const objects = new SealedObjects(place.store, () => [filesSecret]);
    const files = new Files(objects, { maxBytes });
    const ofCustomer = async () =>
      [...(await place.bytesAtRest()).keys()].filter((name) => name.includes(`/${customer.accountId}/`));
    expect(await ofCustomer()).toHaveLength(2);
    await files.sweep((expiring.expires_at ?? 0) * 1_000 - 1);
    expect(await ofCustomer()).toHaveLength(2);
    await files.sweep((expiring.expires_at ?? 0) * 1_000);
    expect(await ofCustomer()).toEqual([]);
  });

  test('belongs to its organization: another one neither sees, reads nor deletes it', async () => {
    const [owner, other] = [await newCustomer(), await newCustomer()];
    const file = await upload(owner.client);
    expect((await other.client.files.list()).data).toEqual([]);
    for (const call of [
      () => other.client.files.retrieve(file.id),
      () => other.client.files.content(file.id),
      () => other.client.files.delete(file.id),
    ]) {
      expect(await statusOf(call())).toEqual([404, 'not_found', null]);
    }
    expect(await (await owner.client.files.content(file.id)).text()).toBe(lines);
  });

  test('is encrypted at rest, and so is its name', async () => {
    const { client } = await newCustomer();
    const file = await upload(client, lines, 'confidential-name.jsonl');
    const atRest = await place.bytesAtRest();
    expect([...atRest.keys()].some((name) => name.includes(file.id))).toBe(true);
    for (const [name, bytes] of atRest) {
      const text = Buffer.from(bytes).toString('utf8');
      for (const part of ['custom_id', 'line-', 'квартал', 'confidential']) {
        expect(`${name}: ${text.includes(part) || name.includes(part)}`).toBe(`${name}: false`);
      }
    }
  });

  test('is listed by pages, in either order', async () => {
    const { client } = await newCustomer();
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) ids.push((await upload(client, `{"n":${index}}\n`)).id);
    const all = async (query: object) => {
      const found: string[] = [];
      for await (const file of client.files.list({ limit: 2, ...query })) found.push(file.id);
      return found;
    };
    expect(await all({ order: 'asc' })).toEqual(ids);
    expect(await all({})).toEqual(ids.toReversed());
    expect(await all({ purpose: 'batch_output' })).toEqual([]);
  });
});

describe('refused, with nothing stored', () => {
  test.each([
    ['without a file', { purpose: 'batch' }, [400, 'missing_parameter', 'file']],
    ['without a purpose', { file: lines }, [400, 'missing_parameter', 'purpose']],
    ['with another purpose', { file: lines, purpose: 'fine-tune' }, [400, 'invalid_parameter', 'purpose']],
    ['with an empty file', { file: '', purpose: 'batch' }, [400, 'invalid_parameter', 'file']],
    [
      'with a life that is too short',
      { file: lines, purpose: 'batch', 'expires_after[anchor]': 'created_at', 'expires_after[seconds]': '60' },
      [400, 'invalid_parameter', 'expires_after.seconds'],
    ],
  ])('an upload %s', async (_, fields, refusal) => {
    const { client, customer } = await newCustomer();
    const form = new FormData();
    for (const [name, value] of Object.entries(fields as Record<string, string>)) {
      form.append(name, name === 'file' ? new File([value], 'a.jsonl') : value);
    }
    const response = await fetch(`${proxy.url}/v1/files`, {
      method: 'POST',
      headers: { authorization: `Bearer ${customer.proxyKey}` },
      body: form,
    });
    const { error } = (await response.json()) as { error: { code: string; param: string | null } };
    expect([response.status, error.code, error.param]).toEqual(refusal as (string | number)[]);
    expect((await client.files.list()).data).toEqual([]);
    expect([...(await place.bytesAtRest()).keys()].filter((name) => name.startsWith('.incoming'))).toEqual([]);
  });

  test('an upload that is too large is refused by its announced size', async () => {
    const { customer } = await newCustomer();
    const socket = await fetch(`${proxy.url}/v1/files`, {
      method: 'POST',
      headers: { authorization: `Bearer ${customer.proxyKey}`, 'content-type': 'multipart/form-data; boundary=b' },
      body: new Uint8Array(fileMaxBytes + 2 * 1024 * 1024),
    });
    expect(socket.status).toBe(413);
  });

  test('an upload whose client leaves', async () => {
    const { client, customer } = await newCustomer();
    const leaving = new AbortController();
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (sent === 0) {
          controller.enqueue(
            Buffer.from(`--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n${lines}`),
          );
        }
        sent += 1;
        if (sent > 3) leaving.abort();
        else controller.enqueue(Buffer.from(lines));
        await Bun.sleep(5);
      },
    });
    const headers = { authorization: `Bearer ${customer.proxyKey}`, 'content-type': 'multipart/form-data; boundary=b' };
    const call = fetch(`${proxy.url}/v1/files`, { method: 'POST', headers, body, signal: leaving.signal });
    await expect(call).rejects.toThrow();
    await waitFor('the end of the upload', guardTimeoutMs, async () =>
      [...(await place.bytesAtRest()).keys()].every((name) => !name.startsWith('.incoming')),
    );
    expect((await client.files.list()).data).toEqual([]);
  });

  test('a stranger, before anything of the body is read', async () => {
    const response = await fetch(`${proxy.url}/v1/files`, {
      method: 'POST',
      headers: { authorization: `Bearer ${(await newCustomer()).customer.billingKey}` },
      body: 'x'.repeat(1_000_000),
    });
    expect(response.status).toBe(403);
  });

  test('a deactivated key, on the next request', async () => {
    const { client, customer } = await newCustomer();
    const file = await upload(client);
    await fetch(`${admin.url}/api/keys/${customer.proxyKeyId}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${customer.billingKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ active: false }),
    });
    expect(await statusOf(client.files.content(file.id))).toEqual([403, 'key_deactivated', null]);
  });

  test('a file too many, and bytes too many', async () => {
    const { client, customer } = await newCustomer();
    const { accountId } = customer;
    const objects = new SealedObjects(place.store, () => [filesSecret]);
    const expiresAt = Math.floor(Date.now() / 1_000) + 1_000;
    const large = `files/${accountId}/${newFileId()},batch,${maxBytes},${expiresAt}`;
    await objects.writeText(large, '{}');
    expect(await statusOf(upload(client))).toEqual([422, 'too_many_files', null]);
    await objects.remove(large);
    const names = Array.from({ length: filesMax }, () => `files/${accountId}/${newFileId()},batch,1,${expiresAt}`);
    await Promise.all(names.map((name) => objects.writeText(name, '{}')));
    expect(await statusOf(upload(client))).toEqual([422, 'too_many_files', null]);
    await Promise.all(names.map((name) => objects.remove(name)));
    expect((await upload(client)).object).toBe('file');
  });

  test('uploads one after another, from the first byte that does not fit', async () => {
    const { customer } = await newCustomer();
    const stored = await leaveRoom(customer, 1_000);
    const uploads = [
      { bytes: 1_001, isAnnounced: false, outcome: [422, 'too_many_files'] },
      { bytes: 400, isAnnounced: false, outcome: [200] },
      { bytes: 601, isAnnounced: true, outcome: [422, 'too_many_files'] },
      { bytes: 601, isAnnounced: false, outcome: [422, 'too_many_files'] },
      { bytes: 600, isAnnounced: false, outcome: [200] },
      { bytes: 1, isAnnounced: false, outcome: [422, 'too_many_files'] },
    ];
    for (const { outcome, ...upload } of uploads) expect(await beginUpload(customer, upload).end()).toEqual(outcome);
    expect(await stored()).toEqual({ sizes: [maxBytes - 1_000, 400, 600], contents: 2, incoming: 0 });
  });

  test('uploads at the same time that do not fit together, all but the first to end', async () => {
    const { customer } = await newCustomer();
    const stored = await leaveRoom(customer, 1_000);
    const begun = [true, false, true, false].map((isAnnounced) => beginUpload(customer, { bytes: 600, isAnnounced }));
    await waitFor('the uploads', guardTimeoutMs, async () => (await stored()).incoming === begun.length);
    for (const [index, { end }] of begun.entries()) {
      expect(await end()).toEqual(index === 0 ? [200] : [422, 'too_many_files']);
    }
    expect(await stored()).toEqual({ sizes: [maxBytes - 1_000, 600], contents: 1, incoming: 0 });
  });

  test('uploads that end together, as far as they do not fit', async () => {
    const { customer } = await newCustomer();
    const stored = await leaveRoom(customer, 1_000);
    const begun = Array.from({ length: 6 }, () => beginUpload(customer, { bytes: 600, isAnnounced: false }));
    await waitFor('the uploads', guardTimeoutMs, async () => (await stored()).incoming === begun.length);
    const outcomes = await Promise.all(begun.map(({ end }) => end()));
    const kept = outcomes.filter(([status]) => status === 200).length;
    expect(kept).toBeLessThanOrEqual(1);
    const sizes = [maxBytes - 1_000, ...Array.from({ length: kept }, () => 600)];
    expect(await stored()).toEqual({ sizes, contents: kept, incoming: 0 });
  });

  test('a wrong method, with those that there are', async () => {
    const { customer } = await newCustomer();
    const headers = { authorization: `Bearer ${customer.proxyKey}` };
    const response = await fetch(`${proxy.url}/v1/files`, { method: 'DELETE', headers });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, POST']);
  });
});

test('without storage, the endpoints say so', async () => {
  const { customer } = await newCustomer();
  const bare = await harness.openProxy();
  const client = new OpenAI({ baseURL: `${bare.url}/v1`, apiKey: customer.proxyKey, maxRetries: 0 });
  expect(await statusOf(client.files.list())).toEqual([404, 'files_unavailable', null]);
});

test('while the storage does not work, 503, and afterwards files are there again', async () => {
  const bucket = await openTestStore('s3');
  const other = await harness.openProxy(bucket.environment);
  const { customer } = await newCustomer();
  const client = new OpenAI({ baseURL: `${other.url}/v1`, apiKey: customer.proxyKey, maxRetries: 0 });
  const file = await upload(client);
  expect(await (await client.files.content(file.id)).text()).toBe(lines);
  await bucket.remove();
  expect(await statusOf(client.files.list())).toEqual([503, 'storage_unavailable', null]);
  await other.stop();
});
