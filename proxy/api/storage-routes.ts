/** The routes of files and batches. */
import { Elysia } from 'elysia';
import type { Incoming } from '../request/relay.ts';
import type { ProxyServices } from '../request/services.ts';
import { batchesPath } from './batches/batch-schemas.ts';
import { handleBatch, handleBatchCreation, handleBatchList, handleCancellation } from './batches/batches.ts';
import { handleFile, handleFileContent, handleFileDeletion, handleFileList } from './files/files.ts';
import { filesPath, handleUpload } from './files/upload.ts';

type Handle = (incoming: Incoming) => Promise<Response>;

/** The methods of their paths, as the `Allow` header lists them. */
const methods: readonly (readonly [path: RegExp, methods: string])[] = [
  [/^\/v1\/(files|batches)$/, 'GET, POST'],
  [/^\/v1\/files\/[^/]+$/, 'GET, DELETE'],
  [/^\/v1\/files\/[^/]+\/content$/, 'GET'],
  [/^\/v1\/batches\/[^/]+$/, 'GET'],
  [/^\/v1\/batches\/[^/]+\/cancel$/, 'POST'],
];

export function methodsOfStorage(path: string): string | undefined {
  return methods.find(([pattern]) => pattern.test(path))?.[1];
}

export function storageRoutes(
  services: ProxyServices,
  respond: (request: Request, handle: Handle) => Response | Promise<Response>,
) {
  const unread = { parse: 'none' } as const;
  return new Elysia()
    .post(filesPath, ({ request }) => respond(request, (incoming) => handleUpload(services, incoming)), unread)
    .get(filesPath, ({ request }) => respond(request, (incoming) => handleFileList(services, incoming)))
    .get('/v1/files/:id', ({ request, params }) =>
      respond(request, (incoming) => handleFile(services, incoming, params.id)),
    )
    .delete('/v1/files/:id', ({ request, params }) =>
      respond(request, (incoming) => handleFileDeletion(services, incoming, params.id)),
    )
    .get('/v1/files/:id/content', ({ request, params }) =>
      respond(request, (incoming) => handleFileContent(services, incoming, params.id)),
    )
    .post(batchesPath, ({ request }) => respond(request, (incoming) => handleBatchCreation(services, incoming)), unread)
    .get(batchesPath, ({ request }) => respond(request, (incoming) => handleBatchList(services, incoming)))
    .get('/v1/batches/:id', ({ request, params }) =>
      respond(request, (incoming) => handleBatch(services, incoming, params.id)),
    )
    .post(
      '/v1/batches/:id/cancel',
      ({ request, params }) => respond(request, (incoming) => handleCancellation(services, incoming, params.id)),
      unread,
    );
}
