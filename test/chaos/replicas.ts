/** The replicas of one program: each can be killed or frozen, and a killed one is followed by a new one. */
import type { Program } from '../harness/programs.ts';

/** One process, from its start to its end. */
export interface Replica {
  readonly program: Program;
  readonly startedAtMs: number;
  state: 'running' | 'frozen' | 'killed';
  killedAtMs: number | undefined;
}

export class Replicas {
  readonly #start: () => Promise<Program>;
  readonly #all: Replica[] = [];

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

  /** What still runs is not asked to end in good order: the judgement is over. */
  async stop(): Promise<void> {
    await Promise.all(this.alive.map((replica) => this.kill(replica)));
  }
}
