/**
 * Starts one program as a child in its own session: Ctrl-C in the terminal reaches only the supervisor, which then
 * ends the children in order. The child writes directly to its log file, so a supervisor that is slow or
 * gone can neither block nor break it.
 */
import { closeSync, existsSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { type EndOptions, endProcess, sendSignal } from './end.ts';
import { writeRecordInto } from './record.ts';

const logBytesMax = 10 * 1024 * 1024;
const lastLinesMax = 12;
/** Of a child that is no longer needed. */
const leftover = { signal: 'SIGINT', graceMs: 2_000 } as const;
let recordsFolder: string | undefined;
/** Process ids. */
const running = new Set<number>();

export interface ChildSpecification {
  name: string;
  command: string[];
  directory: string;
  /** The whole environment: nothing is inherited. */
  environment: Record<string, string>;
  logFile: string;
}

export interface Child {
  name: string;
  pid: number;
  logFile: string;
  /** Resolves, never rejects, with how the child ended: `exit code 1`, `signal SIGKILL`. */
  exited: Promise<string>;
  /** The end of what this child printed, for an error message. */
  lastLines(): string;
  stop(options: EndOptions): Promise<void>;
}

export function startChild({ name, command, directory, environment, logFile }: ChildSpecification): Child {
  const log = openLog(logFile);
  const start = statSync(logFile).size;
  try {
    const child = Bun.spawn(command, {
      cwd: directory,
      env: environment,
      stdin: 'ignore',
      stdout: log,
      stderr: log,
      detached: true,
    });
    noteRunning(child);
    const forget = recordsFolder && writeRecordInto(recordsFolder, { name, pid: child.pid, ...leftover });
    if (forget) void child.exited.then(forget);
    const exited = child.exited.then(() =>
      child.signalCode === null ? `exit code ${child.exitCode}` : `signal ${child.signalCode}`,
    );
    return {
      name,
      pid: child.pid,
      logFile,
      exited,
      lastLines: () => lastLinesSince(logFile, start),
      stop: (options) => endProcess(child.pid, options),
    };
  } finally {
    closeSync(log);
  }
}

/** Records each child in this folder while it runs, so that a guardian can end it if this process is killed. */
export function recordChildrenIn(folder: string): void {
  recordsFolder = folder;
}

/**
 * For commands that start servers and have no supervisor: any end of the command, except by SIGKILL, ends its children.
 */
export function endChildrenAtExit(): void {
  for (const [signal, number] of [
    ['SIGHUP', 1],
    ['SIGINT', 2],
    ['SIGTERM', 15],
  ] as const) {
    process.on(signal, () => process.exit(128 + number));
  }
  process.on('exit', () => {
    for (const pid of running) {
      // For Postgres and Redis, an end without waiting for their clients. A stopped process has to run to end.
      for (const signal of ['SIGINT', 'SIGCONT'] as const) sendSignal(pid, signal);
    }
  });
}

/** Of a child that was started elsewhere: it is ended at exit as well. */
export function noteRunning({ pid, exited }: { readonly pid: number; readonly exited: Promise<number> }): void {
  running.add(pid);
  void exited.then(() => running.delete(pid));
}

/** Appends; a large log is rotated at the next start, and one older log is kept. */
function openLog(logFile: string): number {
  if (existsSync(logFile) && statSync(logFile).size > logBytesMax) renameSync(logFile, `${logFile}.1`);
  return openSync(logFile, 'a', 0o600);
}

function lastLinesSince(logFile: string, start: number): string {
  if (!existsSync(logFile)) return '';
  const printed = readFileSync(logFile).subarray(start).toString('utf8');
  return printed.trimEnd().split('\n').slice(-lastLinesMax).join('\n');
}
