/**
 * Finds `redis-server`, and installs it if that needs no interaction.
 *
 * A service started by the system's package is neither used nor changed: it has its own data and
 * settings, and the embedded Redis listens on another port.
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

/** The path of `redis-server`, undefined if there is none. */
export function findRedisServer(): string | undefined {
  return Bun.which('redis-server') ?? Bun.which('redis-server', { PATH: usualFolders.join(':') }) ?? undefined;
}

/** The path of `redis-server`, installed if necessary; rejects with the command to run if it cannot be installed. */
export async function ensureRedisServer(announce: (text: string) => void = () => {}): Promise<string> {
  const found = findRedisServer();
  if (found !== undefined) return found;
  const problem = await installUnattended(redisPackage, announce);
  const installed = findRedisServer();
  if (installed !== undefined) return installed;
  if (problem !== undefined) announce(`the installation failed: ${problem}`);
  throw new Error(
    `redis-server is not installed. Install it with\n\n    ${manualInstall(redisPackage)}\n\n` +
      'and start again, or set REDIS_URL to your own Redis.',
  );
}
