/** Runs `perf` on a process, with stacks by frame pointers, which both Bun and its compiled code keep. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A prime, so that sampling does not align with anything that runs at regular intervals. */
const samplesPerSecond = 4_999;

/** The environment in which a process dumps its compiled code. */
export function jitDumpEnvironment(directory: string): Record<string, string> {
  return { BUN_JSC_useJITDump: '1', BUN_JSC_jitDumpDirectory: directory };
}

/** Undefined if profiling is possible, otherwise why not. */
export function whyNoPerf(): string | undefined {
  return Bun.which('perf') === null ? 'there is no `perf` (Debian package linux-perf)' : undefined;
}

export async function recordWhile<T>(pid: number, file: string, work: () => Promise<T>): Promise<T> {
  // The clock of the JIT dump is CLOCK_MONOTONIC; virtual machines seldom have cycle counters.
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
    throw new Error('perf has recorded nothing; check kernel.perf_event_paranoid');
  return text;
}

export function readJitDump(directory: string): Buffer {
  const name = readdirSync(directory).find((each) => each.endsWith('.dump'));
  if (name === undefined) throw new Error('nothing was compiled');
  return readFileSync(join(directory, name));
}
