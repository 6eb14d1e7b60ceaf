/** Installs what npm does not have with the system's package manager, if that needs no interaction. */

/** One program or library, with its name in each package manager. */
export interface SystemPackage {
  /** Debian, Ubuntu and derivatives. */
  readonly apt: string;
  /** macOS; absent if it is not needed there. */
  readonly brew?: string;
  /** Fedora, Arch, openSUSE and Alpine; the Debian name if absent. */
  readonly elsewhere?: string;
}

const installTimeoutMs = 10 * 60_000;
const apt = 'apt-get -o DPkg::Lock::Timeout=120';

/** Resolves to undefined on success, otherwise to what went wrong. Never prompts for a password. */
export async function installUnattended(
  wanted: SystemPackage,
  announce: (text: string) => void,
): Promise<string | undefined> {
  const script = unattendedScript(wanted);
  if (script === undefined) return 'no package manager can be used without a password';
  announce(`${wanted.apt} is missing; installing it: ${script}`);
  const child = Bun.spawn(['/bin/sh', '-c', `export DEBIAN_FRONTEND=noninteractive; (${script}) 2>&1`], {
    stdin: 'ignore',
    stdout: 'pipe',
    timeout: installTimeoutMs,
  });
  const output = await child.stdout.text();
  if ((await child.exited) === 0) return undefined;
  return output.trimEnd().split('\n').slice(-5).join('\n');
}

/** The command to run by hand. */
export function manualInstall({ apt: name, brew = name, elsewhere = name }: SystemPackage): string {
  if (process.platform === 'darwin') return `brew install ${brew}`;
  const sudo = process.geteuid?.() === 0 ? '' : 'sudo ';
  const fallback = `${sudo}apt-get update && ${sudo}apt-get install -y ${name}`;
  const managers: [string, string][] = [
    ['apt-get', fallback],
    ['dnf', `${sudo}dnf install -y ${elsewhere}`],
    ['pacman', `${sudo}pacman -S --noconfirm ${elsewhere}`],
    ['zypper', `${sudo}zypper install -y ${elsewhere}`],
    ['apk', `${sudo}apk add ${elsewhere}`],
  ];
  return managers.find(([program]) => Bun.which(program) !== null)?.[1] ?? fallback;
}

function unattendedScript({ apt: name, brew }: SystemPackage): string | undefined {
  if (process.platform === 'darwin') {
    return brew === undefined || Bun.which('brew') === null ? undefined : `brew install ${brew}`;
  }
  if (Bun.which('apt-get') === null) return undefined;
  const sudo = process.geteuid?.() === 0 ? '' : 'sudo -n ';
  if (sudo !== '' && !canSudo()) return undefined;
  const install = `${sudo}${apt} install -y --no-install-recommends ${name}`;
  return `${install} || (${sudo}${apt} update && ${install})`;
}

function canSudo(): boolean {
  if (Bun.which('sudo') === null) return false;
  return Bun.spawnSync(['sudo', '-n', 'true'], { stdout: 'ignore', stderr: 'ignore' }).exitCode === 0;
}
