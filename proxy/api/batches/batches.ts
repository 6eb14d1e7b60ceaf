/** /v1/batches: made, listed, shown and cancelled here, and run by ../../batches of any proxy. */
import { formatAddress } from '../../../shared/addresses/address.ts';
import { GatewayError } from '../../../shared/errors.ts';
import { checkValue, parseJsonObject } from '../../../shared/http/check-value.ts';
import { jsonLimits } from '../../../shared/http/intake/json-scanner.ts';
import type { Caller } from '../../request/admission/caller.ts';
import type { Incoming } from '../../request/relay.ts';
import type { ProxyServices } from '../../request/services.ts';
import {
  type Batches,
  type BatchRequest,
  isFinal,
  type ListedBatch,
  newState,
  type StoredBatch,
} from '../../storage/batches.ts';
import { type Files, fileLifeSeconds } from '../../storage/files.ts';
import { BatchLease } from '../../storage/lease/batch-lease.ts';
import { enterStorage } from '../files/enter-storage.ts';
import { pageOf, readPageQuery, renderPage } from '../list-page.ts';
import { type BatchBody, batchRequestSchema, windowSeconds } from './batch-schemas.ts';
import { renderBatch } from './render-batch.ts';

const bodyMaxBytes = 64 * 1024;
const pageLimits = { fallback: 20, max: 100 };
/** Of one organization. */
const unfinishedMax = 50;

/** Throws GatewayError as `enterStorage` does, and 400, 408, 413, 422 for the body. */
export function handleBatchCreation(services: ProxyServices, incoming: Incoming): Promise<Response> {
  return enterStorage(services, incoming, async ({ batches, files, accountId }) => {
    const body = checkValue(batchRequestSchema, parseJsonObject(await readBody(services, incoming)));
    const { caller } = incoming;
    if (caller === undefined) throw new Error('the caller is not known');
    const createdAt = nowSeconds();
    const expiresAt = createdAt + windowSeconds;
    await checkInput(files, { accountId, id: body.input_file_id, expiresAt });
    // Its results are files too.
    await files.checkRoom(accountId, 0);
    const request = requestOf(body, { caller, createdAt, expiresAt });
    const batch = await batches.inTurn(accountId, async () => {
      if ((await batches.listUnfinished(accountId)).length >= unfinishedMax) throw tooManyBatches();
      return batches.create(accountId, request);
    });
    // Otherwise the first proxy that takes it waits for a minute.
    await new BatchLease(services.redis, batch.id).offer().catch((error: unknown) => {
      services.log.warn({ batch: batch.id, err: error }, 'a batch begins late');
    });
    // Nothing more is read, which could fail: clients repeat a request after a 503, and would make the batch twice.
    return Response.json(renderBatch(batch, { state: newState, cancelledAt: undefined }));
  });
}

/** Throws GatewayError as `enterStorage` does, and `invalid_parameter`. */
export function handleBatchList(services: ProxyServices, incoming: Incoming): Promise<Response> {
  return enterStorage(services, incoming, async ({ batches, accountId }) => {
    const page = pageOf(await batches.list(accountId), readPageQuery(incoming.request, pageLimits));
    const found = await Promise.all(
      page.items.map(async (named) => {
        const batch = await batches.read(named);
        return batch && shown(batches, batch);
      }),
    );
    return Response.json(
      renderPage(
        found.filter((batch) => batch !== undefined),
        page.hasMore,
      ),
    );
  });
}

/** Throws GatewayError as `enterStorage` does, and `not_found`. */
export function handleBatch(services: ProxyServices, incoming: Incoming, id: string): Promise<Response> {
  return enterStorage(services, incoming, async ({ batches, accountId }) =>
    Response.json(await shown(batches, await findBatch(batches, { id, accountId }))),
  );
}

/** Throws GatewayError as `handleBatch` does. One that has ended stays as it is. */
export function handleCancellation(services: ProxyServices, incoming: Incoming, id: string): Promise<Response> {
  return enterStorage(services, incoming, async ({ batches, accountId }) => {
    const batch = await findBatch(batches, { id, accountId });
    if (isFinal(await batches.readState(batch))) throw batchEnded(id);
    await batches.cancel(batch, nowSeconds());
    return Response.json(await shown(batches, batch));
  });
}

export function batchEnded(id: string): GatewayError {
  return new GatewayError('batch_ended', `'${id}' has ended, so it cannot be cancelled.`);
}

export function batchNotFound(id: string): GatewayError {
  return new GatewayError('not_found', `There is no batch '${id}'.`);
}

export function tooManyBatches(): GatewayError {
  return new GatewayError('too_many_batches', `An organization may have ${unfinishedMax} batches that have not ended.`);
}

async function readBody(services: ProxyServices, incoming: Incoming): Promise<string> {
  const body = await services.bodies.read(incoming.request, { maxBytes: bodyMaxBytes, json: jsonLimits });
  incoming.body = body;
  incoming.arrived();
  return body.text;
}

function requestOf(
  { input_file_id: inputFileId, endpoint, metadata, output_expires_after: life }: BatchBody,
  { caller, createdAt, expiresAt }: Pick<BatchRequest, 'createdAt' | 'expiresAt'> & { readonly caller: Caller },
): BatchRequest {
  const address = caller.address();
  return {
    ...{ inputFileId, endpoint, metadata: metadata ?? null, createdAt, expiresAt },
    outputLifeSeconds: life?.seconds ?? fileLifeSeconds,
    key: {
      hash: caller.keyHash,
      firstHash: caller.firstHash,
      shard: caller.shard,
      address: address === undefined ? null : formatAddress(address),
    },
  };
}

/** Throws GatewayError `invalid_parameter`. */
async function checkInput(
  files: Files,
  {
    accountId,
    id,
    expiresAt,
  }: { readonly accountId: number; readonly id: BatchBody['input_file_id']; readonly expiresAt: number },
): Promise<void> {
  const refuse = (message: string) => new GatewayError('invalid_parameter', message, { param: 'input_file_id' });
  const file = await files.find(accountId, id);
  if (file === undefined) throw refuse(`There is no file '${id}'.`);
  if (file.purpose !== 'batch') throw refuse(`The purpose of '${id}' is ${file.purpose}, not batch.`);
  if (file.expiresAt < expiresAt) throw refuse(`'${id}' expires before the batch may have ended.`);
}

/** Throws GatewayError `not_found`. */
async function findBatch(batches: Batches, listed: ListedBatch): Promise<StoredBatch> {
  const batch = await batches.find(listed);
  if (batch === undefined) throw batchNotFound(listed.id);
  return batch;
}

async function shown(batches: Batches, batch: StoredBatch) {
  const [state, cancelledAt] = await Promise.all([batches.readState(batch), batches.cancelledAt(batch)]);
  return renderBatch(batch, { state, cancelledAt });
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}
