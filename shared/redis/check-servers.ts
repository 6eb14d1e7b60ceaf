/**
 * Whether the servers behind a client are fit to hold money: recent enough, and never evicting data. What is wrong but no
 * reason to refuse it is a warning.
 */
import type { Redis } from 'ioredis';
import { counted } from '../counted.ts';
import type { Log } from '../log.ts';
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
  readonly usedBytes: number;
  /** `maxmemory`; 0 if it is not set. */
  readonly maxBytes: number;
  /** What an operator has to mend, although it serves. */
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

/** Logs the warnings of all servers; nothing of those that do not respond. */
export async function warnOfServers(client: RedisClient, log: Log): Promise<void> {
  const reports = await checkServers(client).catch(() => []);
  for (const { server, warnings } of reports) {
    for (const { detail, advice } of warnings) log.warn({ server, advice }, `Redis: ${detail}`);
  }
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
    usedBytes: Number(info.get('used_memory') ?? 0),
    maxBytes: Number(info.get('maxmemory') ?? 0),
    warnings: findWarnings(info),
    problems,
    readMs: async () => {
      const [seconds, microseconds] = await server.time();
      return Number(seconds) * 1_000 + Number(microseconds) / 1_000;
    },
  };
}

function findWarnings(info: ReadonlyMap<string, string>): ServerReport['warnings'] {
  const evicted = Number(info.get('evicted_keys') ?? 0);
  const warnings: { detail: string; advice: string }[] = [];
  if (info.get('maxmemory') === '0') {
    const detail = 'maxmemory is not set, so nothing warns at 70 % of it or refuses requests at 90 %';
    warnings.push({ detail, advice: 'Set maxmemory to at most half of the memory of its machine or container.' });
  }
  if (evicted > 0) {
    const detail = `${counted(evicted, 'evicted key')} since it started: wallets or holds may be among them`;
    warnings.push({ detail, advice: 'Set maxmemory-policy to noeviction, then run `bun run gateway reconcile`.' });
  }
  if (info.get('aof_enabled') === '1' && info.get('aof_last_write_status') === 'err') {
    const detail = 'the append-only file cannot be written';
    warnings.push({ detail, advice: 'Check its log for a full disk: it refuses writes until the cause is removed.' });
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
