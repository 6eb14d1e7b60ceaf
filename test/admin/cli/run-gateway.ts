/** Runs the command line as operators do: as a separate process. */
import { join } from 'node:path';
import type { Failure } from '../../../admin/cli/describe-failure.ts';
import type { Harness } from '../../harness.ts';

const root = join(import.meta.dir, '../../..');

export interface Run<Json = unknown> {
  readonly exitCode: number;
  readonly out: string;
  readonly problem: string;
  /** The last line of the output, which is JSON with --json. */
  readonly json: Json;
  /** The error of the last line. */
  readonly error: Failure | undefined;
}

/** The caller chooses the type of the JSON. */
export type Gateway = <Json>(
  args: readonly string[],
  options?: { input?: string; environment?: object },
) => Promise<Run<Json>>;

export function gatewayOf(harness: Harness): Gateway {
  return async (args, { input, environment } = {}) => {
    const child = Bun.spawn([process.execPath, 'admin/cli/main.ts', ...args], {
      cwd: root,
      env: {
        DATABASE_URL: harness.databaseUrl,
        REDIS_URL: harness.redisUrl,
        KEY_PEPPER: harness.keyPepper,
        // Files that `npm start` has left in the working tree must not affect the tests.
        DATA_DIR: harness.directory,
        ...environment,
      },
      stdin: new Blob([input ?? '']),
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const [out, problem] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    const exitCode = await child.exited;
    const lastLine = out.trimEnd().split('\n').at(-1) ?? '';
    const json = lastLine.startsWith('{') ? JSON.parse(lastLine) : undefined;
    return { exitCode, out, problem, json, error: Object(json).error };
  };
}
