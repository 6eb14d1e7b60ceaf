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
  readonly host: string;
  /** Where it keeps its data; undefined if it does not say. */
  readonly folder: string | undefined;
  readonly memory: {
    readonly usedBytes: number;
    readonly limitBytes: number;
    readonly limit: 'maxmemory' | 'the machine';
  };
  /** What has gone wrong while it ran. */
  readonly warnings: readonly { readonly detail: string; readonly advice: string }[];
  /** Its clock. */
  readMs(): Promise<number>;
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
    host: server.stream.remoteAddress ?? '',
    folder: await readFolder(server),
    memory: readMemory(info),
    warnings: findWarnings(info),
    problems,
    readMs: async () => {
      const [seconds, microseconds] = await server.time();
      return Number(seconds) * 1_000 + Number(microseconds) / 1_000;
    },
  };
}

function readMemory(info: ReadonlyMap<string, string>): ServerReport['memory'] {
  const [usedBytes, maxBytes, machineBytes] = ['used_memory', 'maxmemory', 'total_system_memory'].map((name) =>
    Number(info.get(name) ?? 0),
  );
  if (maxBytes) return { usedBytes: usedBytes ?? 0, limitBytes: maxBytes, limit: 'maxmemory' };
  return { usedBytes: usedBytes ?? 0, limitBytes: machineBytes ?? 0, limit: 'the machine' };
}

function findWarnings(info: ReadonlyMap<string, string>): ServerReport['warnings'] {
  const evicted = Number(info.get('evicted_keys') ?? 0);
  const warnings: { detail: string; advice: string }[] = [];
  if (evicted > 0) {
    const detail = `${evicted} keys were evicted since it started: wallets or holds may be among them`;
    warnings.push({ detail, advice: 'Set maxmemory-policy to noeviction, then run `bun run gateway reconcile`.' });
  }
  if (info.get('aof_enabled') === '1' && info.get('aof_last_write_status') === 'err') {
    const detail = 'the append-only file cannot be written';
    warnings.push({ detail, advice: 'Look for a full disk in its log: it refuses writes until then.' });
  }
  return warnings;
}

/** `CONFIG` is not allowed on managed servers. */
async function readFolder(server: Redis): Promise<string | undefined> {
  try {
    const [, folder] = await server.config('GET', 'dir');
    return typeof folder === 'string' ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** `INFO` returns `name:value` lines. Unlike `CONFIG GET` it is allowed on managed servers. */
function readInfo(text: string): ReadonlyMap<string, string> {
  const pairs = text.split('\r\n').map((line) => line.split(':'));
  return new Map(pairs.map(([name = '', ...value]) => [name, value.join(':')]));
}
