/**
 * Finds `redis-server`, and installs it where that needs nobody's help.
 *
 * A service that the system's package starts by itself is neither used nor touched: it has data and settings of its
 * own, and the embedded one listens elsewhere.
 */
import { installUnattended, manualInstall } from './system-package.ts';

const redisPackage = { apt: 'redis-server', brew: 'redis', elsewhere: 'redis' } as const;
const usualFolders = [
  '/usr/bin',
  '/usr/local/bin',
  '/opt/homebrew/bin',
  '/opt/homebrew/opt/redis/bin',
  '/usr/local/opt/redis/bin',
  '/home/linuxbrew/.linuxbrew/bin',
  '/opt/local/bin',
];

/** The path of `redis-server`, undefined where there is none. */
export function findRedisServer(): string | undefined {
  return Bun.which('redis-server') ?? Bun.which('redis-server', { PATH: usualFolders.join(':') }) ?? undefined;
}

/** The path of `redis-server`, after installing it if need be; rejects with the command to type if it cannot. */
export async function ensureRedisServer(announce: (text: string) => void = () => {}): Promise<string> {
  const found = findRedisServer();
  if (found !== undefined) return found;
  const problem = await installUnattended(redisPackage, announce);
  const installed = findRedisServer();
  if (installed !== undefined) return installed;
  if (problem !== undefined) announce(`that did not work: ${problem}`);
  throw new Error(
    `redis-server is not on this machine. Install it with\n\n    ${manualInstall(redisPackage)}\n\n` +
      'and start again, or set REDIS_URL to a Redis of your own.',
  );
}
