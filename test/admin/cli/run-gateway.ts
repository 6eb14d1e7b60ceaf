/** Runs the command line: in this process, or in a process of its own, as operators do. */
import { join } from 'node:path';
import type { Failure } from '../../../admin/cli/describe-failure.ts';
import { runCommandLine } from '../../../admin/cli/run-command-line.ts';
import { transpiled } from '../../harness/programs.ts';
import type { Harness } from '../../harness.ts';

const root = join(import.meta.dir, '../../..');

export interface Run<Json = unknown> {
  readonly exitCode: number;
  readonly out: string;
  readonly problem: string;
  /** The last line of the output, which is JSON with --json. */
  readonly json: Json;
  /** The error on the last line. */
  readonly error: Failure | undefined;
}

interface RunOptions {
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The content of standard input. */
  readonly input?: string;
}

/** The caller chooses the type of the JSON. */
export type Gateway = <Json>(args: readonly string[], options?: RunOptions) => Promise<Run<Json>>;

type Output = Pick<Run, 'exitCode' | 'out' | 'problem'>;

/**
 * In this process, which takes a tenth of the time, except where there is input. The environment is that of the process,
 * so commands run one after the other.
 */
export function gatewayOf(harness: Harness): Gateway {
  return gatewayBy((args, options) =>
    options.input === undefined
      ? inTurn(() => within(environmentOf(harness, options), () => runHere(args)))
      : runProcess(args, environmentOf(harness, options), options.input),
  );
}

/** Several at the same time in this process, each with connections of its own. */
export async function runTogether(
  harness: Harness,
  calls: readonly (readonly string[])[],
  options: RunOptions = {},
): Promise<Run[]> {
  const environment = environmentOf(harness, options);
  const outputs = await inTurn(() => within(environment, () => Promise.all(calls.map(runHere))));
  return outputs.map(withJson);
}

/** Each in a process of its own. */
export function gatewayProcessOf(harness: Harness): Gateway {
  return gatewayBy((args, options) => runProcess(args, environmentOf(harness, options), options.input ?? ''));
}

function gatewayBy(run: (args: readonly string[], options: RunOptions) => Promise<Output>): Gateway {
  return async (args, options = {}) => withJson(await run(args, options));
}

function withJson<Json>(output: Output): Run<Json> {
  const lastLine = output.out.trimEnd().split('\n').at(-1) ?? '';
  const json = lastLine.startsWith('{') ? JSON.parse(lastLine) : undefined;
  return { ...output, json, error: Object(json).error };
}

function environmentOf(harness: Harness, { environment }: RunOptions): Record<string, string | undefined> {
  return {
    DATABASE_URL: harness.databaseUrl,
    REDIS_URL: harness.redisUrl,
    KEY_PEPPER: harness.keyPepper,
    // Files that `npm start` has left in the working tree must not affect the tests.
    DATA_DIR: harness.directory,
    ...environment,
  };
}

async function within<Result>(environment: Record<string, string | undefined>, work: () => Promise<Result>) {
  const own = process.env;
  process.env = environment;
  try {
    return await work();
  } finally {
    process.env = own;
  }
}

async function runHere(args: readonly string[]): Promise<Output> {
  const [out, problem]: [string[], string[]] = [[], []];
  const into = (lines: string[]) => async (text: string) => void lines.push(`${Bun.stripANSI(text)}\n`);
  const exitCode = await runCommandLine(args, { aligned: false, out: into(out), problem: into(problem) });
  return { exitCode, out: out.join(''), problem: problem.join('') };
}

async function runProcess(args: readonly string[], environment: Record<string, string | undefined>, input: string) {
  const child = Bun.spawn([process.execPath, 'admin/cli/main.ts', ...args], {
    cwd: root,
    env: { ...transpiled, ...environment },
    stdin: new Blob([input]),
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [out, problem] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { exitCode: await child.exited, out, problem };
}

let last: Promise<unknown> = Promise.resolve();

function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  const result = last.then(work);
  last = result.catch(() => {});
  return result;
}
