/**
 * Checks whether a process id still belongs to the process that was recorded.
 *
 * Invariant: no process is ever ended by its id alone. Ids are reused, after a restart of a container
 * within seconds, so a record also has the time at which the process started.
 */
import { existsSync, readFileSync } from 'node:fs';

const hasProcFs = existsSync('/proc/self/stat');

/** False for a process that has ended, including a zombie (in containers without an init). */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
  return !hasProcFs || (statOf(pid)?.state ?? 'Z') !== 'Z';
}

/** When the process started, unique among all processes with this id; undefined if it is gone. */
export function identityOf(pid: number): string | undefined {
  if (!isRunning(pid)) return undefined;
  if (!hasProcFs) return ps(pid, 'lstart=');
  const stat = statOf(pid);
  return stat === undefined ? undefined : `${bootId()} ${stat.startTicks}`;
}

/** The command line of a running process that has no record. */
export function commandOf(pid: number): string | undefined {
  if (!isRunning(pid)) return undefined;
  return hasProcFs ? readProc(`/proc/${pid}/cmdline`)?.replaceAll('\0', ' ') : ps(pid, 'command=');
}

/** `proc_pid_stat(5)`: the name may contain spaces and brackets, so fields are counted from the last bracket. */
function statOf(pid: number): { state: string; startTicks: string } | undefined {
  const text = readProc(`/proc/${pid}/stat`);
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, startTicks] = [fields?.[0], fields?.[19]];
  return state === undefined || startTicks === undefined ? undefined : { state, startTicks };
}

/** Ticks are counted from boot, so they need the id of the boot. */
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
