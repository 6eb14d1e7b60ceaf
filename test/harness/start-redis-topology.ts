/** Starts a Redis topology of real servers on loopback. */
import { startRedisCluster } from './redis-cluster.ts';
import { startRedisSentinel } from './redis-sentinel.ts';
import { startRedisStandalone } from './redis-standalone.ts';
import type { RedisTopology, TopologyKind, TopologyOptions } from './redis-topology.ts';

const starters = {
  standalone: startRedisStandalone,
  sentinel: startRedisSentinel,
  cluster: startRedisCluster,
};

export function startRedisTopology(kind: TopologyKind, options: TopologyOptions): Promise<RedisTopology> {
  return starters[kind](options);
}
