/** The chaos test's own Postgres and Redis: each can be stopped and restarted on its port with its data. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isRunning } from '../../../local/processes/identity.ts';
import { type RunningServer, startPostgres } from '../../../local/servers/postgres.ts';
import { startRedis } from '../../../local/servers/redis.ts';
import { clockBehindBy } from './other-clock.ts';

/** Commits reach the file before they are confirmed, so a killed server loses none; only a power cut could. */
const postgresSettings = { fsync: 'off', full_page_writes: 'off', shared_buffers: '64MB' };

export class ChaosServer {
  readonly #start: (port: number, clockBehindSeconds: number) => Promise<RunningServer>;
  readonly #dataDir: string;
  #running: RunningServer | undefined;
  #clockBehindSeconds = 0;
  #port = 0;
  #url = '';

  constructor(dataDir: string, start: (port: number, clockBehindSeconds: number) => Promise<RunningServer>) {
    this.#dataDir = dataDir;
    this.#start = start;
  }

  get url(): string {
    return this.#url;
  }

  /** On its previous port. */
  async start(): Promise<void> {
    this.#running = await this.#start(this.#port, this.#clockBehindSeconds);
    this.#port = this.#running.port;
    this.#url = this.#running.url;
  }

  /** Gracefully. */
  async stop(): Promise<void> {
    await this.#running?.stop();
    this.#running = undefined;
  }

  async kill(): Promise<void> {
    const running = this.#running;
    if (running === undefined) return;
    process.kill(running.pid, 'SIGKILL');
    await running.exited;
    this.#running = undefined;
  }

  /** SIGSTOP and SIGCONT, also for the server's child processes. */
  freeze(): void {
    this.#signal('SIGSTOP');
  }

  thaw(): void {
    this.#signal('SIGCONT');
  }

  /** From its next start on, its clock is behind the machine's by this much. */
  setClockBehind(seconds: number): void {
    this.#clockBehindSeconds = seconds;
  }

  #signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    if (this.#running === undefined) return;
    process.kill(this.#running.pid, signal);
    // The parent first: a stopped one creates no further children.
    for (const pid of childrenOf(this.#running.pid)) {
      try {
        process.kill(pid, signal);
      } catch (error) {
        // It ended by itself between the check and the signal.
        if (isRunning(pid)) throw error;
      }
    }
  }

  /** What the server keeps under this name, while it does not run. */
  async removeData(name: string): Promise<void> {
    await rm(join(this.#dataDir, name), { recursive: true, force: true });
  }
}

function childrenOf(parent: number): number[] {
  const { stdout } = Bun.spawnSync(['ps', '-A', '-o', 'pid=,ppid=']);
  const processes = stdout
    .toString()
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  return processes.filter(([, ppid]) => ppid === parent).map(([pid = 0]) => pid);
}

export function chaosPostgres(directory: string): ChaosServer {
  const dataDir = join(directory, 'postgres');
  return new ChaosServer(dataDir, (port) => startPostgres({ dataDir, port, settings: postgresSettings }));
}

export function chaosRedis(directory: string): ChaosServer {
  const dataDir = join(directory, 'redis');
  return new ChaosServer(dataDir, async (port, clockBehindSeconds) =>
    startRedis({ dataDir, port, appendOnly: true, environment: await clockBehindBy(clockBehindSeconds) }),
  );
}
