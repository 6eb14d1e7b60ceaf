/** GET /v1/files, and GET and DELETE of one file. A file belongs to the organization of the key that it was uploaded with. */
import { GatewayError } from '../../../shared/errors.ts';
import { leaveGarbage } from '../../../shared/http/intake/body.ts';
import { invalidParameter } from '../../../shared/http/parameter-errors.ts';
import type { Incoming } from '../../request/relay.ts';
import type { ProxyServices } from '../../request/services.ts';
import { type Files, fileNotFound, filePurposes, filesMax, type StoredFile } from '../../storage/files.ts';
import { pageOf, readPageQuery, renderPage } from '../list-page.ts';
import { enterStorage } from './enter-storage.ts';

const pageLimits = { fallback: 100, max: filesMax };
const describedAtOnce = 32;
/** Each chunk is decrypted into a new one, which Bun copies to send it. */
const readingGarbage = 3;

/** Throws GatewayError as `enterStorage` does, and `invalid_parameter`. */
export function handleFileList(services: ProxyServices, incoming: Incoming): Promise<Response> {
  return enterStorage(services, incoming, async ({ files, accountId }) => {
    const { request } = incoming;
    const purpose = new URL(request.url).searchParams.get('purpose');
    if (purpose !== null && !filePurposes.some((each) => each === purpose)) {
      throw invalidParameter('purpose', `one of ${filePurposes.join(', ')}`);
    }
    const listed = (await files.list(accountId)).filter((file) => purpose === null || file.purpose === purpose);
    const { items, hasMore } = pageOf(listed, readPageQuery(request, pageLimits));
    const described: StoredFile[] = [];
    for (let at = 0; at < items.length; at += describedAtOnce) {
      const some = await Promise.all(items.slice(at, at + describedAtOnce).map((file) => files.describe(file)));
      described.push(...some.filter((file) => file !== undefined));
    }
    return Response.json(renderPage(described.map(renderFile), hasMore));
  });
}

/** Throws GatewayError as `enterStorage` does, and `not_found`. */
export function handleFile(services: ProxyServices, incoming: Incoming, id: string): Promise<Response> {
  return enterStorage(services, incoming, async ({ files, accountId }) =>
    Response.json(renderFile(await findFile(files, accountId, id))),
  );
}

/** Throws GatewayError as `handleFile` does. If the storage fails later, the connection breaks. */
export function handleFileContent(services: ProxyServices, incoming: Incoming, id: string): Promise<Response> {
  return enterStorage(services, incoming, async ({ files, accountId }) => {
    const file = await findFile(files, accountId, id);
    const content = await files.content(file);
    if (content === undefined) throw fileNotFound(id);
    const headers = { 'content-type': 'application/octet-stream', 'content-disposition': 'attachment' };
    return new Response(streamOf(content), { headers });
  });
}

/** Throws GatewayError as `handleFile` does, and `file_in_use`. */
export function handleFileDeletion(services: ProxyServices, incoming: Incoming, id: string): Promise<Response> {
  return enterStorage(services, incoming, async ({ files, batches, accountId }) => {
    const file = await findFile(files, accountId, id);
    for (const unfinished of await batches.listUnfinished(accountId)) {
      if ((await batches.find(unfinished))?.inputFileId === id) throw fileInUse(id, unfinished.id);
    }
    await files.remove(file);
    return Response.json({ id, object: 'file', deleted: true });
  });
}

export function renderFile({ id, purpose, bytes, filename, createdAt, expiresAt }: StoredFile) {
  return {
    id,
    object: 'file',
    bytes,
    created_at: createdAt,
    expires_at: expiresAt,
    filename,
    purpose,
    // All of a batch's lines are checked when the batch begins.
    status: 'processed',
    status_details: null,
  };
}

/** Throws GatewayError `not_found`. */
export async function findFile(files: Files, accountId: number, id: string): Promise<StoredFile> {
  const file = await files.find(accountId, id);
  if (file === undefined) throw fileNotFound(id);
  return file;
}

export function fileInUse(id: string, batchId: string): GatewayError {
  return new GatewayError('file_in_use', `'${id}' is the input of '${batchId}', which has not ended.`);
}

/** Read as the client takes it, and no further once it leaves. */
function streamOf(content: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const chunks = content[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done === true) return controller.close();
      leaveGarbage(readingGarbage * value.byteLength);
      controller.enqueue(value);
    },
    async cancel() {
      await chunks.return?.();
    },
  });
}
