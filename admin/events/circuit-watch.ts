/** Which deployments have changed their state in a proxy since the last look. */
import { type DeploymentHealth, readHealth } from '../../shared/health/deployment-health.ts';
import type { RedisClient } from '../../shared/redis/connect.ts';

export interface CircuitChange {
  readonly replica: string;
  readonly deployment: string;
  readonly state: DeploymentHealth['state'];
}

export class CircuitWatch {
  readonly #redis: RedisClient;
  #seen: ReadonlyMap<string, CircuitChange> | undefined;

  constructor(redis: RedisClient) {
    this.#redis = redis;
  }

  /** Forgets what it has seen while there are no listeners. */
  rest(): void {
    this.#seen = undefined;
  }

  async look(): Promise<CircuitChange[]> {
    const replicas = await readHealth(this.#redis, Date.now());
    const circuits = replicas.flatMap(({ replica, deployments }) =>
      deployments.map(({ deployment, state }) => [`${replica} ${deployment}`, { replica, deployment, state }] as const),
    );
    const before = this.#seen;
    this.#seen = new Map(circuits);
    if (before === undefined) return [];
    return circuits.flatMap(([name, circuit]) => (before.get(name)?.state === circuit.state ? [] : [circuit]));
  }
}
