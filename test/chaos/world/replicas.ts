/**
 * The replicas of one program: each can be killed or frozen. One that exits by itself is recorded and replaced, as by
 * an orchestrator.
 */
import type { Program } from '../../harness/programs.ts';

/** One process, from its start to its end. */
export interface Replica {
  readonly program: Program;
  readonly startedAtMs: number;
  state: 'running' | 'frozen' | 'killed';
  killedAtMs: number | undefined;
}

const replacePauseMs = 500;

export class Replicas {
  readonly #start: () => Promise<Program>;
  readonly #all: Replica[] = [];
  #stopped = false;
  /** How replicas ended that were not killed by the test. */
  readonly endings: string[] = [];

  constructor(start: () => Promise<Program>) {
    this.#start = start;
  }

  /** Running or frozen. */
  get alive(): readonly Replica[] {
    return this.#all.filter(({ state }) => state !== 'killed');
  }

  async add(): Promise<Replica> {
    const startedAtMs = Date.now();
    const program = await this.#start();
    const replica: Replica = { program, startedAtMs, state: 'running', killedAtMs: undefined };
    this.#all.push(replica);
    void program.exited.then((how) => this.#replace(replica, how));
    return replica;
  }

  async kill(replica: Replica): Promise<void> {
    replica.state = 'killed';
    replica.killedAtMs = Date.now();
    await replica.program.kill();
  }

  freeze(replica: Replica): void {
    replica.state = 'frozen';
    process.kill(replica.program.pid, 'SIGSTOP');
  }

  thaw(replica: Replica): void {
    process.kill(replica.program.pid, 'SIGCONT');
    replica.state = 'running';
  }

  /** Running replicas are killed, not shut down: the checks are over. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.alive.map((replica) => this.kill(replica)));
  }

  async #replace(replica: Replica, how: string): Promise<void> {
    if (replica.state === 'killed') return;
    replica.state = 'killed';
    replica.killedAtMs = Date.now();
    this.endings.push(`${replica.program.logFile.split('/').at(-1)}: ${how}${await lastWords(replica)}`);
    while (!this.#stopped && (await this.add().catch(() => undefined)) === undefined) await Bun.sleep(replacePauseMs);
  }
}

/** The reason from its log. */
async function lastWords({ program }: Replica): Promise<string> {
  const lines = (await Bun.file(program.logFile).text()).split('\n');
  const fatal = lines.find((line) => line.includes('"level":"fatal"'));
  return fatal === undefined ? '' : `, ${/"message":"((?:[^"\\]|\\.)*)"/.exec(fatal)?.[1] ?? fatal}`;
}
