/**
 * The output of `npm start`: one line per step with its time. Colours and updated lines are for a terminal only; in
 * a file or a pipe every line is plain and final.
 */
const nameWidth = 18;
const timeWidth = 8;

export class Terminal {
  readonly #isLive: boolean;
  readonly #hasColours: boolean;

  constructor(options: { isTerminal: boolean; hasColours: boolean }) {
    this.#isLive = options.isTerminal;
    this.#hasColours = options.isTerminal && options.hasColours;
    // A closed terminal must not prevent the servers from being stopped.
    process.stdout.on('error', () => {});
  }

  line(text = ''): void {
    process.stdout.write(`${text}\n`);
  }

  bold(text: string): string {
    return this.#paint(text, '1');
  }

  dim(text: string): string {
    return this.#paint(text, '2');
  }

  red(text: string): string {
    return this.#paint(text, '31');
  }

  /** Prints the step when it is done; `describe` returns the detail to show. */
  async step<Result>(
    name: string,
    work: () => Promise<Result>,
    describe?: (result: Result) => string,
  ): Promise<Result> {
    const startedAt = performance.now();
    if (this.#isLive) process.stdout.write(`  ${this.dim('…')} ${name}`);
    try {
      const result = await work();
      this.#finish(this.#paint('✓', '32'), name, { startedAt, detail: describe?.(result) ?? '' });
      return result;
    } catch (error) {
      this.#finish(this.red('✗'), name, { startedAt, detail: '' });
      throw error;
    }
  }

  /** A line in the middle of a step. */
  remark(text: string): void {
    this.line(`${this.#isLive ? '\r\u001b[K' : ''}    ${this.dim(text)}`);
  }

  #finish(mark: string, name: string, { startedAt, detail }: { startedAt: number; detail: string }): void {
    const time = duration(performance.now() - startedAt).padStart(timeWidth);
    const line = `  ${mark} ${name.padEnd(nameWidth)}${this.dim(time)}   ${this.dim(detail)}`;
    this.line(`${this.#isLive ? '\r\u001b[K' : ''}${line.trimEnd()}`);
  }

  #paint(text: string, code: string): string {
    return this.#hasColours && text !== '' ? `\u001b[${code}m${text}\u001b[0m` : text;
  }
}

export function duration(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}
