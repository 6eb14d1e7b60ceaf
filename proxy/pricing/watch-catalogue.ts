/**
 * Keeps this process's catalogue up to date: asks Redis for its revision twice a second, reads the document when the
 * revision changes, and keeps the last good one while Redis is unreachable or the document is malformed.
 */
import {
  catalogueFields,
  catalogueKey,
  decodeCatalogue,
  type PublishedProvider,
} from '../../shared/catalogue/published-catalogue.ts';
import type { Log } from '../../shared/log.ts';
import type { RedisClient } from '../../shared/redis/connect.ts';
import { buildCatalogue, type Catalogue } from './catalogue.ts';

const pollIntervalMs = 500;

export interface CatalogueWatch {
  /** Undefined until the first one has been read. */
  current(): Catalogue | undefined;
  stop(): void;
}

interface WatchServices {
  readonly redis: RedisClient;
  readonly log: Log;
  readonly credentials: {
    /** Why a provider cannot be used, for the operator. */
    problemOf(provider: PublishedProvider): string | undefined;
  };
}

export async function watchCatalogue(services: WatchServices): Promise<CatalogueWatch> {
  const { redis, log } = services;
  let catalogue: Catalogue | undefined;
  let refusedRevision: string | undefined;

  const refresh = async () => {
    const revision = await redis.hget(catalogueKey, catalogueFields.revision);
    if (revision === null || revision === catalogue?.revision || revision === refusedRevision) return;
    const document = await redis.hget(catalogueKey, catalogueFields.document);
    try {
      const decoded = decodeCatalogue(document ?? '');
      catalogue = buildCatalogue(revision, decoded);
      const { leftOut } = decoded;
      if (leftOut.length > 0)
        log.warn({ revision, leftOut }, 'only a newer version can serve these; they are left out');
      log.info({ revision, models: catalogue.models.size }, 'catalogue loaded');
      logUnusable(catalogue, services);
    } catch (error) {
      refusedRevision = revision;
      log.error({ revision, err: error }, 'catalogue rejected; the last valid one stays in effect');
    }
  };
  const refreshQuietly = () => refresh().catch((error: unknown) => log.debug({ err: error }, 'catalogue not read'));

  await refreshQuietly();
  let stopped = false;
  const poll = async () => {
    await refreshQuietly();
    if (!stopped) timer = setTimeout(poll, pollIntervalMs);
  };
  let timer = setTimeout(poll, pollIntervalMs);
  return {
    current: () => catalogue,
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

/** Once per catalogue: the operator who has just applied it looks here. */
function logUnusable(catalogue: Catalogue, { credentials, log }: WatchServices): void {
  const deployments = [...catalogue.models.values()].flatMap((model) => model.deployments);
  for (const provider of new Set(deployments.map((deployment) => deployment.provider))) {
    const problem = credentials.problemOf(provider);
    if (problem !== undefined) log.warn({ provider: provider.id, problem }, 'the provider cannot be used');
  }
}
