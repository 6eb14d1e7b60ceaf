/**
 * Tells whether a process number still means the process that it meant when it was written down.
 *
 * Invariant: nothing here is ever ended by its number alone. Numbers are used again, after a restart of a container
 * within seconds, so a record holds the moment the process began as well.
 */
import { existsSync, readFileSync } from 'node:fs';

const hasProcFs = existsSync('/proc/self/stat');

/** False for a process that has ended, also when nobody has collected it yet (containers without an init). */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
  return !hasProcFs || (statOf(pid)?.state ?? 'Z') !== 'Z';
}

/** When the process began, in a form that no other process with this number ever has; undefined if it is gone. */
export function identityOf(pid: number): string | undefined {
  if (!isRunning(pid)) return undefined;
  if (!hasProcFs) return ps(pid, 'lstart=');
  const stat = statOf(pid);
  return stat === undefined ? undefined : `${bootId()} ${stat.startTicks}`;
}

/** The command line of a running process, for one that we have no record of. */
export function commandOf(pid: number): string | undefined {
  if (!isRunning(pid)) return undefined;
  return hasProcFs ? readProc(`/proc/${pid}/cmdline`)?.replaceAll('\0', ' ') : ps(pid, 'command=');
}

/** `proc_pid_stat(5)`: the name may hold spaces and brackets, so fields are counted from the last bracket. */
function statOf(pid: number): { state: string; startTicks: string } | undefined {
  const text = readProc(`/proc/${pid}/stat`);
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, startTicks] = [fields?.[0], fields?.[19]];
  return state === undefined || startTicks === undefined ? undefined : { state, startTicks };
}

/** Ticks are counted from the boot, so they need its name beside them. */
function bootId(): string {
  return readProc('/proc/sys/kernel/random/boot_id')?.trim() ?? 'unknown-boot';
}

function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function ps(pid: number, column: string): string | undefined {
  const { stdout } = Bun.spawnSync(['ps', '-ww', '-o', column, '-p', String(pid)], { stderr: 'ignore' });
  const text = stdout.toString().trim();
  return text === '' ? undefined : text;
}
