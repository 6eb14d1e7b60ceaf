/**
 * What `npm start` remembers from one start to the next: the ports of the embedded servers, and how far the first
 * start got, so that an interrupted start is continued instead of repeated.
 *
 * Invariant: a step is recorded right after it is done; what it needs (a password) is recorded before.
 */
import { readIfPresent, writePrivateFile } from './private-file.ts';

export interface Account {
  email: string;
  password: string;
  isMade: boolean;
}

/** The progress of the first start on one database. */
export interface Progress {
  demo?: Account;
  operator?: Account;
  isCredited?: boolean;
  proxyKey?: string;
  billingKey?: string;
  /** True once everything was done and `local.json` was written. */
  isComplete?: boolean;
  /** The address of the demo provider that the catalogue names. */
  demoUrl?: string;
}

interface State {
  ports: Partial<Record<PortName, number>>;
  databases: Record<string, Progress>;
}

export type PortName = 'postgres' | 'redis' | 'demo';

export class StateFile {
  readonly #path: string;
  readonly #state: State;

  constructor(path: string) {
    this.#path = path;
    const text = readIfPresent(path);
    // Only this class writes the file, and it replaces it as a whole.
    this.#state = text === undefined ? { ports: {}, databases: {} } : (JSON.parse(text) as State);
  }

  port(name: PortName): number | undefined {
    return this.#state.ports[name];
  }

  rememberPort(name: PortName, port: number): void {
    if (this.#state.ports[name] === port) return;
    this.#state.ports[name] = port;
    this.#write();
  }

  /** Progress is kept per database: another DATABASE_URL means another first start. */
  progress(database: string): Progress {
    return this.#state.databases[database] ?? {};
  }

  record(database: string, done: Progress): Progress {
    const progress = { ...this.progress(database), ...done };
    this.#state.databases[database] = progress;
    this.#write();
    return progress;
  }

  forgetKeys(database: string): Progress {
    const { proxyKey: _proxyKey, billingKey: _billingKey, ...rest } = this.progress(database);
    this.#state.databases[database] = rest;
    this.#write();
    return rest;
  }

  #write(): void {
    writePrivateFile(this.#path, `${JSON.stringify(this.#state, null, 2)}\n`);
  }
}
