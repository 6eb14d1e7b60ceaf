/** The Redis topologies that the gateway supports, with one interface for tests. */
import type { Redis } from 'ioredis';
import type { FaultProxy } from './fault-proxy.ts';

export const topologyKinds = ['standalone', 'sentinel', 'cluster'] as const;
export type TopologyKind = (typeof topologyKinds)[number];

export interface RedisTopology {
  readonly kind: TopologyKind;
  /** In the form of REDIS_URL. */
  readonly url: string;
  /** The relays of all clients' connections; empty if not requested. */
  readonly faults: readonly FaultProxy[];
  /** The test's own connection to the current master of a key, bypassing the fault proxies. */
  masterOf(key: string): Promise<Redis>;
  /** Resolves when the replicas have everything written so far. */
  replicated(): Promise<void>;
  /** SIGKILL for the master of a key. Its replica takes over; a standalone server is restarted after a second. */
  killMaster(key: string): Promise<void>;
  /** A planned change of masters, both of which survive; a standalone server is restarted. Resolves when it is done. */
  failover(key: string): Promise<void>;
  /** For a standalone server: stops it, does something, and starts it again with its data. */
  restart(whileAway: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

export interface TopologyOptions {
  /** A folder for the servers. */
  readonly directory: string;
  /** True for masters only, each behind a fault proxy. */
  readonly faulty?: boolean;
}
