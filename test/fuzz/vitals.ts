/** The health of the programs between requests: whether they are alive, errors they logged, how long they stalled. */
import { stat } from 'node:fs/promises';
import { waitFor } from '../harness/account-view.ts';
import type { Program } from '../harness/programs.ts';
import type { ProgramName } from './requests/operations.ts';
import type { World } from './world.ts';

const readyTimeoutMs = 120_000;
const stopMetric = /^gateway_event_loop_longest_stop_seconds (\S+)$/m;

export class Vitals {
  readonly longestStopSeconds: Record<ProgramName, number> = { proxy: 0, admin: 0 };
  readonly #programs: World['programs'];
  readonly #ends: string[] = [];
  /** How far its log has been read. */
  readonly #read: Record<ProgramName, number> = { proxy: 0, admin: 0 };

  constructor({ programs }: World) {
    this.#programs = programs;
    for (const [name, program] of Object.entries(programs)) {
      void program.exited.then((how) => this.#ends.push(`${name} has ended: ${how}`));
    }
  }

  /** Problems since the last call. Throws if a program has exited, because then no request gets a response. */
  async examine(): Promise<string[]> {
    const faults = [...(await this.#examine('proxy')), ...(await this.#examine('admin'))];
    if (this.#ends.length > 0) throw new Error([...this.#ends, ...faults].join('\n'));
    return faults;
  }

  async #examine(name: ProgramName): Promise<string[]> {
    const program = this.#programs[name];
    const isReady = async () =>
      this.#ends.length > 0 || (await fetch(`${program.url}/readyz`).catch(() => undefined))?.ok;
    const faults = await waitFor(`${name} to be ready`, readyTimeoutMs, isReady).then(
      () => [],
      (error: unknown) => [String(error)],
    );
    const metrics = await fetch(`${program.url}/metrics`).then(
      (response) => response.text(),
      () => '',
    );
    const stopSeconds = Number(stopMetric.exec(metrics)?.[1] ?? 0);
    this.#keepLongest(name, stopSeconds);
    return [...faults, ...(await this.#errorsLogged(name, program))];
  }

  #keepLongest(name: ProgramName, seconds: number): void {
    this.longestStopSeconds[name] = Math.max(this.longestStopSeconds[name], seconds);
  }

  /** Errors that are ours, and anything that is not a log line. */
  async #errorsLogged(name: ProgramName, { logFile }: Program): Promise<string[]> {
    const { size } = await stat(logFile);
    const lines = (await Bun.file(logFile).slice(this.#read[name], size).text()).split('\n');
    this.#read[name] = size;
    return lines.filter((line) => line !== '').flatMap((line) => describeLine(name, line));
  }
}

function describeLine(name: ProgramName, line: string): string[] {
  if (!line.startsWith('{')) return [`${name} has printed ${line.slice(0, 300)}`];
  const { level, msg, err, path = '', worker = '' } = JSON.parse(line);
  if (level !== 'error' && level !== 'fatal') return [];
  return [`${name} has logged: ${msg}: ${path}${worker} ${Object(err).stack ?? ''}`.slice(0, 600)];
}
