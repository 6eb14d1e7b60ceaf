/** Runs one command of the operator's command line, the way an operator would, and reads its JSON. */
import { ownEnvironmentOnly, root } from './programs.ts';

const commandMs = 120_000;

export type CommandResult =
  | { ok: true; result: Readonly<Record<string, unknown>> }
  | { ok: false; code: string; message: string };

/** A password is sent to standard input: every user of the machine can read the arguments of a process. */
export type OperatorCommand = (args: readonly string[], password?: string) => Promise<CommandResult>;

/** `--json` is added here. */
export function operatorCommands(environment: Record<string, string>, signal: AbortSignal): OperatorCommand {
  return async (args, password) => {
    const child = Bun.spawn([process.execPath, ownEnvironmentOnly, 'admin/cli/main.ts', ...args, '--json'], {
      cwd: root,
      env: environment,
      stdin: password === undefined ? 'ignore' : new Blob([password]),
      stdout: 'pipe',
      stderr: 'pipe',
      // A Ctrl-C in the terminal is for the supervisor, which then aborts `signal`.
      detached: true,
      signal: AbortSignal.any([signal, AbortSignal.timeout(commandMs)]),
    });
    const [output, problems] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    signal.throwIfAborted();
    if (child.exitCode === 0) return { ok: true, result: lastObject(output) ?? {} };
    const reported = lastObject(output) ?? lastObject(problems);
    const message = errorField(reported, 'message') ?? `${output}${problems}`.trim();
    return {
      ok: false,
      code: errorField(reported, 'code') ?? 'unknown',
      message: `${args[0]} ${args[1] ?? ''}: ${message}`,
    };
  };
}

/** The result of a command that must succeed. */
export async function expectDone(result: Promise<CommandResult>): Promise<Readonly<Record<string, unknown>>> {
  const settled = await result;
  if (settled.ok) return settled.result;
  throw new Error(settled.message);
}

/** A field that the command line always returns. */
export function textOf(result: Readonly<Record<string, unknown>>, name: string): string {
  const value = result[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new Error(`The operator's command line returned no "${name}": ${JSON.stringify(result)}`);
}

/** The last line that is a JSON object; logs may precede it. */
function lastObject(text: string): Record<string, unknown> | undefined {
  const line = text.split('\n').findLast((candidate) => candidate.trimStart().startsWith('{'));
  try {
    return line === undefined ? undefined : JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Errors have the form `{"error":{"code","message"}}`; a flat form is accepted as well. */
function errorField(reported: Record<string, unknown> | undefined, name: string): string | undefined {
  const error = reported?.error;
  const holder = typeof error === 'object' && error !== null ? new Map(Object.entries(error)) : undefined;
  const value: unknown = holder?.get(name) ?? reported?.[name];
  return typeof value === 'string' ? value : undefined;
}
