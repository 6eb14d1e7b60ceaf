/**
 * Keeps the parts of a running system together: when one of them ends, or a stop is requested, all of them end.
 *
 * Invariants: every part is on the recorded list from the moment it exists until it is gone, so no process is left
 * behind whatever happens to the supervisor; and servers end after the parts that use them.
 */
import { join } from 'node:path';
import type { Child } from './child.ts';
import type { EndOptions } from './end.ts';
import { type ProcessRecord, recordOf, writeRecords } from './record.ts';

/** In the order in which they are stopped; the parts of one layer stop at the same time. */
const layers = ['programs', 'providers', 'servers'] as const;

export interface Part {
  child: Child;
  layer: (typeof layers)[number];
  stop: EndOptions;
}

export type Ending = { kind: 'requested'; by: string } | { kind: 'died'; name: string; how: string; lastLines: string };

export class Supervisor {
  /** Resolves with the first reason to end everything. */
  readonly ending: Promise<Ending>;

  readonly #parts: Part[] = [];
  readonly #recordFile: string;
  readonly #guardian: Bun.Subprocess<'pipe', 'ignore', 'ignore'>;
  readonly #abort = new AbortController();
  readonly #resolveEnding: (ending: Ending) => void;

  constructor(recordFile: string) {
    this.#recordFile = recordFile;
    writeRecords(recordFile, []);
    this.#guardian = Bun.spawn([process.execPath, join(import.meta.dir, 'guardian', 'main.ts'), recordFile], {
      stdin: 'pipe',
      stdout: 'ignore',
      stderr: 'ignore',
      detached: true,
    });
    const { promise, resolve } = Promise.withResolvers<Ending>();
    this.ending = promise;
    this.#resolveEnding = resolve;
  }

  /** Aborted as soon as there is a reason to end; steps that are still starting something give up. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  add(part: Part): void {
    this.#parts.push(part);
    this.#writeRecords();
    part.child.exited.then((how) => {
      this.#end({ kind: 'died', name: part.child.name, how, lastLines: part.child.lastLines() });
    });
  }

  requestStop(by: string): void {
    this.#end({ kind: 'requested', by });
  }

  /** Ends every part, and resolves when all are gone. */
  async stop(): Promise<void> {
    this.#abort.abort();
    for (const layer of layers) {
      const parts = this.#parts.filter((part) => part.layer === layer);
      await Promise.all(parts.map(({ child, stop }) => child.stop(stop)));
    }
    this.#parts.length = 0;
    this.#writeRecords();
    this.#guardian.stdin.end();
    await this.#guardian.exited;
  }

  #end(ending: Ending): void {
    // Parts that are being stopped end as expected; only the first reason counts.
    this.#resolveEnding(ending);
    this.#abort.abort();
  }

  #writeRecords(): void {
    const records = this.#parts.map(({ child, stop }) => recordOf({ name: child.name, pid: child.pid, ...stop }));
    writeRecords(
      this.#recordFile,
      records.filter((record): record is ProcessRecord => record !== undefined),
    );
  }
}
