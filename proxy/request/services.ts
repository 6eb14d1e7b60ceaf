/** The services that all requests of this process share. */
import type { ProxyConfig } from '../../shared/config/proxy.ts';
import type { Bodies } from '../../shared/http/intake/bodies.ts';
import type { Log } from '../../shared/log.ts';
import type { RedisClient } from '../../shared/redis/connect.ts';
import type { Wallet } from '../../shared/wallet/wallet.ts';
import type { Calibrations } from '../pricing/calibration.ts';
import type { CatalogueWatch } from '../pricing/watch-catalogue.ts';
import type { Credentials } from '../providers/credentials/credentials.ts';
import type { Storage } from '../storage/storage.ts';
import type { KnownKeys } from './admission/known-keys.ts';
import type { Workbench } from './body/workbench.ts';
import type { ResponseCache } from './cache/response-cache.ts';
import type { BatchMetrics } from './metrics/batch-metrics.ts';
import type { RequestMetrics } from './metrics/request-metrics.ts';
import type { ErrorCounts } from './response/error-counts.ts';
import type { Settlement } from './settlement/settlement.ts';
import type { Tracing } from './tracing/tracing.ts';
import type { Deployments } from './upstream/health/deployments.ts';
import type { ProviderClient } from './upstream/provider-client.ts';

export interface ProxyServices {
  readonly config: ProxyConfig;
  readonly log: Log;
  readonly redis: RedisClient;
  readonly wallet: Wallet;
  readonly catalogue: CatalogueWatch;
  readonly settlement: Settlement;
  readonly deployments: Deployments;
  readonly credentials: Credentials;
  readonly providerClient: ProviderClient;
  readonly knownKeys: KnownKeys;
  readonly bodies: Bodies;
  readonly workbench: Workbench;
  readonly responseCache: ResponseCache;
  readonly calibrations: Calibrations;
  readonly metrics: RequestMetrics;
  readonly batchMetrics: BatchMetrics;
  /** Undefined unless requests are traced. */
  readonly tracing?: Tracing | undefined;
  readonly errorCounts: ErrorCounts;
  /** Undefined if no files are stored. */
  readonly storage: Storage | undefined;
}
