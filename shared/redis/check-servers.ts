/** Whether the servers behind a client are fit to hold money: recent enough, and never evicting data. */
import type { Redis } from 'ioredis';
import type { RedisClient } from './connect.ts';
import { StrictCluster } from './strict-cluster.ts';

export interface ServerReport {
  /** `host:port`. */
  readonly server: string;
  readonly version: string;
  readonly evictionPolicy: string;
  readonly appendOnly: boolean;
  /** What makes the server unfit, each the end of a sentence: "maxmemory-policy is …". */
  readonly problems: readonly string[];
}

const majorVersionMin = 7;

/** Queries every connected master. Rejects if there is none, or one does not respond. */
export async function checkServers(client: RedisClient): Promise<ServerReport[]> {
  const nodes = client instanceof StrictCluster ? client.nodes('master') : [client];
  const masters = nodes.filter(({ status }) => status === 'ready');
  if (masters.length === 0) throw new Error('no master is connected');
  return Promise.all(masters.map(checkServer));
}

/** All problems of all servers, as sentences without a full stop. */
export async function findServerProblems(client: RedisClient): Promise<string[]> {
  const reports = await checkServers(client);
  return reports.flatMap(({ server, problems }) => problems.map((problem) => `Redis ${server}: ${problem}`));
}

async function checkServer(server: Redis): Promise<ServerReport> {
  const info = readInfo(await server.info());
  const version = info.get('redis_version') ?? 'unknown';
  const evictionPolicy = info.get('maxmemory_policy') ?? 'unknown';
  const problems: string[] = [];
  if (!(Number.parseInt(version, 10) >= majorVersionMin)) {
    problems.push(`version is ${version}; the oldest supported version is ${majorVersionMin}`);
  }
  if (evictionPolicy !== 'noeviction') {
    problems.push(`maxmemory-policy is ${evictionPolicy}, which may evict wallets; it must be noeviction`);
  }
  return {
    server: `${server.stream.remoteAddress}:${server.stream.remotePort}`,
    version,
    evictionPolicy,
    appendOnly: info.get('aof_enabled') === '1',
    problems,
  };
}

/** `INFO` returns `name:value` lines. Unlike `CONFIG GET` it is allowed on managed servers. */
function readInfo(text: string): ReadonlyMap<string, string> {
  const pairs = text.split('\r\n').map((line) => line.split(':'));
  return new Map(pairs.map(([name = '', ...value]) => [name, value.join(':')]));
}
