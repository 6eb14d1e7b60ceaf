/** Starts a Redis topology of real servers on loopback. */
import { startRedisCluster } from './cluster.ts';
import { startRedisSentinel } from './sentinel.ts';
import { startRedisStandalone } from './standalone.ts';
import type { RedisTopology, TopologyKind, TopologyOptions } from './topology.ts';

const starters = {
  standalone: startRedisStandalone,
  sentinel: startRedisSentinel,
  cluster: startRedisCluster,
};

export function startRedisTopology(kind: TopologyKind, options: TopologyOptions): Promise<RedisTopology> {
  return starters[kind](options);
}
