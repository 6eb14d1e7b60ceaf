/** Runs `perf` on a process: its stacks by frame pointers, which Bun and what it compiles have. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Not a divisor of anything that runs at regular intervals. */
const samplesPerSecond = 4_999;

/** Under it a process writes down what it compiles. */
export function jitDumpEnvironment(directory: string): Record<string, string> {
  return { BUN_JSC_useJITDump: '1', BUN_JSC_jitDumpDirectory: directory };
}

/** Undefined where there can be profiles, else why not. */
export function whyNoPerf(): string | undefined {
  return Bun.which('perf') === null ? 'there is no `perf` (Debian package linux-perf)' : undefined;
}

export async function recordWhile<T>(pid: number, file: string, work: () => Promise<T>): Promise<T> {
  // The clock of the JIT dump, which is CLOCK_MONOTONIC; virtual machines seldom have counters of cycles.
  const what = ['-k', '1', '-e', 'cpu-clock', '-F', String(samplesPerSecond), '--call-graph', 'fp'];
  const perf = Bun.spawn(['perf', 'record', ...what, '-o', file, '-p', String(pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  try {
    return await work();
  } finally {
    perf.kill('SIGINT');
    await perf.exited;
  }
}

export async function printSamples(file: string): Promise<string> {
  const perf = Bun.spawn(['perf', 'script', '-i', file, '-F', 'comm,tid,ip,sym,dso'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const text = await new Response(perf.stdout).text();
  if ((await perf.exited) !== 0 || text === '')
    throw new Error('perf has recorded nothing; may it (perf_event_paranoid)?');
  return text;
}

export function readJitDump(directory: string): Buffer {
  const name = readdirSync(directory).find((each) => each.endsWith('.dump'));
  if (name === undefined) throw new Error('nothing was compiled');
  return readFileSync(join(directory, name));
}
