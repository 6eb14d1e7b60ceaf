/** The arrangements of Redis that the gateway works with, each with one face for tests. */
import type { Redis } from 'ioredis';
import type { FaultProxy } from './redis-fault-proxy.ts';

export const topologyKinds = ['standalone', 'sentinel', 'cluster'] as const;
export type TopologyKind = (typeof topologyKinds)[number];

export interface RedisTopology {
  readonly kind: TopologyKind;
  /** As REDIS_URL takes it. */
  readonly url: string;
  /** What all clients' connections pass; empty if it was not asked for. */
  readonly faults: readonly FaultProxy[];
  /** The test's own connection to the present master of a key, past the fault proxies. */
  masterOf(key: string): Promise<Redis>;
  /** Resolves when the replicas have all that was written until now. */
  replicated(): Promise<void>;
  /** SIGKILL for the master of a key. Its replica takes over; a lone server is started again after a second. */
  killMaster(key: string): Promise<void>;
  /** An orderly change of masters, both of which live; a lone server is restarted. Resolves when it is done. */
  failover(key: string): Promise<void>;
  /** Of a lone server: stops it, does something, and starts it again with its data. */
  restart(whileAway: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

export interface TopologyOptions {
  /** A folder of the servers' own. */
  readonly directory: string;
  /** True to have only masters, each behind a fault proxy. */
  readonly faulty?: boolean;
}
