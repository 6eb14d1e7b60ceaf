/**
 * Finds `redis-server`, and installs it where that needs nobody's help.
 *
 * A service that the system's package starts by itself is neither used nor touched: it has data and settings of its
 * own, and the embedded one listens elsewhere.
 */
const usualFolders = [
  '/usr/bin',
  '/usr/local/bin',
  '/opt/homebrew/bin',
  '/opt/homebrew/opt/redis/bin',
  '/usr/local/opt/redis/bin',
  '/home/linuxbrew/.linuxbrew/bin',
  '/opt/local/bin',
];

const installTimeoutMs = 10 * 60_000;
const apt = 'apt-get -o DPkg::Lock::Timeout=120';

/** The path of `redis-server`, undefined where there is none. */
export function findRedisServer(): string | undefined {
  return Bun.which('redis-server') ?? Bun.which('redis-server', { PATH: usualFolders.join(':') }) ?? undefined;
}

/** The path of `redis-server`, after installing it if need be; rejects with the command to type if it cannot. */
export async function ensureRedisServer(announce: (text: string) => void = () => {}): Promise<string> {
  const found = findRedisServer();
  if (found !== undefined) return found;
  const script = unattendedInstall();
  if (script !== undefined) {
    announce(`redis-server is missing; installing it: ${script}`);
    const problem = await run(script);
    const installed = findRedisServer();
    if (installed !== undefined) return installed;
    announce(`that did not work: ${problem}`);
  }
  throw new Error(
    `redis-server is not on this machine. Install it with\n\n    ${manualInstall()}\n\n` +
      'and start again, or set REDIS_URL to a Redis of your own.',
  );
}

function unattendedInstall(): string | undefined {
  if (process.platform === 'darwin') return Bun.which('brew') === null ? undefined : 'brew install redis';
  if (Bun.which('apt-get') === null) return undefined;
  const sudo = process.geteuid?.() === 0 ? '' : 'sudo -n ';
  if (sudo !== '' && !canSudo()) return undefined;
  const install = `${sudo}${apt} install -y --no-install-recommends redis-server`;
  return `${install} || (${sudo}${apt} update && ${install})`;
}

function canSudo(): boolean {
  if (Bun.which('sudo') === null) return false;
  return Bun.spawnSync(['sudo', '-n', 'true'], { stdout: 'ignore', stderr: 'ignore' }).exitCode === 0;
}

function manualInstall(): string {
  if (process.platform === 'darwin') return 'brew install redis';
  const sudo = process.geteuid?.() === 0 ? '' : 'sudo ';
  const managers: [string, string][] = [
    ['apt-get', `${sudo}apt-get update && ${sudo}apt-get install -y redis-server`],
    ['dnf', `${sudo}dnf install -y redis`],
    ['pacman', `${sudo}pacman -S --noconfirm redis`],
    ['zypper', `${sudo}zypper install -y redis`],
    ['apk', `${sudo}apk add redis`],
  ];
  const fallback = `${sudo}apt-get update && ${sudo}apt-get install -y redis-server`;
  return managers.find(([program]) => Bun.which(program) !== null)?.[1] ?? fallback;
}

/** Resolves to what the installer said last. */
async function run(script: string): Promise<string> {
  const child = Bun.spawn(['/bin/sh', '-c', `export DEBIAN_FRONTEND=noninteractive; (${script}) 2>&1`], {
    stdin: 'ignore',
    stdout: 'pipe',
    timeout: installTimeoutMs,
  });
  const output = await child.stdout.text();
  await child.exited;
  return output.trimEnd().split('\n').slice(-5).join('\n');
}
