/**
 * The health of deployments, as each proxy sees it. Every proxy writes its own field of one hash in Redis every few
 * seconds; readers use the fresh fields, and delete those of proxies that are gone.
 */
import { type Static, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import type { RedisClient } from '../redis/connect.ts';

const healthKey = 'health';
/** Three times the interval at which proxies write. */
const freshForMs = 30_000;

export const deploymentStates = ['closed', 'resting', 'open', 'half_open'] as const;

const count = Type.Integer({ minimum: 0 });

const deploymentHealth = Type.Object({
  /** `provider/upstream-model`. */
  deployment: Type.String(),
  /** `closed`: in use. `resting`: has asked for a pause. `open`: not used after failures. `half_open`: being probed. */
  state: Type.Union(deploymentStates.map((state) => Type.Literal(state))),
  /** Since the proxy started. */
  requests: count,
  failures: count,
  /** Until the response begins, weighted towards recent requests. Null before the first one. */
  meanLatencyMs: Type.Union([count, Type.Null()]),
  lastFailure: Type.Union([Type.Object({ reason: Type.String(), atMs: count }), Type.Null()]),
  /** When it will be used again; null if it may be used now. */
  readyAtMs: Type.Union([count, Type.Null()]),
});

const replicaHealth = Type.Object({ writtenAtMs: count, deployments: Type.Array(deploymentHealth) });

export type DeploymentHealth = Static<typeof deploymentHealth>;

export interface ReplicaHealth extends Static<typeof replicaHealth> {
  readonly replica: string;
}

const check = TypeCompiler.Compile(replicaHealth);

export async function writeHealth(
  redis: RedisClient,
  { replica, writtenAtMs, deployments }: ReplicaHealth,
): Promise<void> {
  await redis.hset(healthKey, replica, JSON.stringify({ writtenAtMs, deployments }));
}

/** A proxy that shuts down removes its field. */
export async function removeHealth(redis: RedisClient, replica: string): Promise<void> {
  await redis.hdel(healthKey, replica);
}

export async function readHealth(redis: RedisClient, nowMs: number): Promise<ReplicaHealth[]> {
  const fields = Object.entries(await redis.hgetall(healthKey)).map(([replica, text]) => ({
    replica,
    health: decode(text),
  }));
  const fresh: ReplicaHealth[] = [];
  const stale: string[] = [];
  for (const { replica, health } of fields) {
    if (health !== undefined && nowMs - health.writtenAtMs <= freshForMs) fresh.push({ replica, ...health });
    else stale.push(replica);
  }
  if (stale.length > 0) await redis.hdel(healthKey, ...stale);
  return fresh.sort((one, other) => one.replica.localeCompare(other.replica));
}

/** Undefined if another version of the proxy has written an unknown format. */
function decode(text: string): Static<typeof replicaHealth> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return check.Check(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
