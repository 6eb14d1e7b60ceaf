/**
 * REDIS_URL: which servers, in which topology. Three forms, each also with TLS (`rediss`):
 *
 * - `redis://[user:password@]host:6379[/0]`: one server.
 * - `redis://host:6379,redis://host:6380,…`: nodes of a Redis Cluster; two or three are enough to find all others.
 * - `redis+sentinel://[user:password@]host:26379,host:26379/mymaster[?sentinelPassword=…]`: Sentinels, which say which
 *   server is the master now. User and password are those of Redis itself.
 *
 * Special characters in a password are percent-encoded. No message repeats the text, because it may contain a password.
 */

export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

export interface RedisAccess {
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly usesTls: boolean;
}

export type RedisAddress =
  | {
      readonly kind: 'standalone';
      readonly server: ServerAddress;
      readonly database: number;
      readonly access: RedisAccess;
    }
  | { readonly kind: 'cluster'; readonly nodes: readonly ServerAddress[]; readonly access: RedisAccess }
  | {
      readonly kind: 'sentinel';
      readonly sentinels: readonly ServerAddress[];
      readonly masterName: string;
      readonly sentinelPassword: string | undefined;
      readonly access: RedisAccess;
    };

/** The forms, for error messages to the operator. */
export const redisUrlForms =
  'redis://host:6379 for one server, redis://host:6379,redis://host:6380 for the nodes of a cluster, or ' +
  'redis+sentinel://host:26379,host:26379/mymaster for Sentinels (rediss with TLS)';

const redisPort = 6_379;
const sentinelPort = 26_379;

/** Throws an Error whose message continues "REDIS_URL …". */
export function parseRedisAddress(text: string): RedisAddress {
  if (/^rediss?\+sentinel:/.test(text)) return parseSentinel(text);
  const servers = text.split(',').map((part) => parseServer(part.trim()));
  const [first] = servers;
  if (first === undefined || servers.length === 1) {
    if (first === undefined) throw new Error('is empty');
    return { kind: 'standalone', server: first.server, database: first.database, access: first.access };
  }
  if (servers.some(({ database }) => database !== 0)) throw new Error('names a database, but a cluster has only 0');
  const access = servers.map((server) => server.access).find(({ password }) => password !== undefined) ?? first.access;
  if (servers.some((server) => !isSameAccess(server.access, access))) {
    throw new Error('gives the nodes of one cluster different users, passwords or schemes');
  }
  return { kind: 'cluster', nodes: servers.map(({ server }) => server), access };
}

/** A node without a password uses that of the others. */
function isSameAccess(one: RedisAccess, all: RedisAccess): boolean {
  if (one.usesTls !== all.usesTls) return false;
  return one.password === undefined || (one.password === all.password && one.username === all.username);
}

function parseServer(text: string): { server: ServerAddress; database: number; access: RedisAccess } {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['redis:', 'rediss:'].includes(url.protocol) || url.hostname === '') {
    throw new Error(`has a part that is not one of ${redisUrlForms}`);
  }
  const database = /^\/?(\d{0,5})$/.exec(url.pathname)?.[1];
  if (database === undefined) throw new Error('has a path that is not the number of a database');
  return {
    server: { host: bareHost(url), port: Number(url.port || redisPort) },
    database: Number(database),
    access: accessOf(url),
  };
}

function parseSentinel(text: string): RedisAddress {
  const parts = /^(rediss?)\+sentinel:\/\/((?:[^@/]*@)?)([^/@]+)\/([\w.-]+)((?:\?.*)?)$/.exec(text);
  const [, scheme = '', user = '', hosts = '', masterName = '', query = ''] = parts ?? [];
  const urls = hosts.split(',').map((host) => `${scheme}://${host.trim()}`);
  if (parts === null || urls.some((url) => !URL.canParse(url)) || !URL.canParse(`${scheme}://${user}host`)) {
    throw new Error('is not redis+sentinel://[user:password@]host:26379,host:26379/mymaster');
  }
  const options = new URLSearchParams(query);
  const unknown = [...options.keys()].find((name) => name !== 'sentinelPassword');
  if (unknown !== undefined) throw new Error(`has the unknown option ${unknown}; sentinelPassword is the only one`);
  return {
    kind: 'sentinel',
    sentinels: urls
      .map((url) => new URL(url))
      .map((url) => ({ host: bareHost(url), port: Number(url.port || sentinelPort) })),
    masterName,
    sentinelPassword: options.get('sentinelPassword') ?? undefined,
    access: accessOf(new URL(`${scheme}://${user}host`)),
  };
}

function accessOf(url: URL): RedisAccess {
  return {
    username: decodeURIComponent(url.username) || undefined,
    password: decodeURIComponent(url.password) || undefined,
    usesTls: url.protocol === 'rediss:',
  };
}

/** An IPv6 address without its brackets in a URL. */
function bareHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}
