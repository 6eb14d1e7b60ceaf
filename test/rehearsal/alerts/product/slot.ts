/** One replica that keeps its port, so that Prometheus sees the same instance after a restart. */
import { freePort } from '../../../../local/servers/ports.ts';
import { type Program, startProgram } from '../../../harness/programs.ts';

export interface Slot {
  readonly url: string;
  readonly pid: number;
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export async function startSlot(
  name: 'proxy' | 'admin',
  directory: string,
  environment: Readonly<Record<string, string>>,
): Promise<Slot> {
  const port = await freePort();
  const variable = name === 'proxy' ? 'PROXY_PORT' : 'ADMIN_PORT';
  const start = () => startProgram({ name, directory, environment: { ...environment, [variable]: String(port) } });
  let program: Program | undefined = await start();
  const url = program.url;
  return {
    url,
    get pid() {
      if (program === undefined) throw new Error(`the ${name} at ${url} is not running`);
      return program.pid;
    },
    kill: async () => {
      await program?.kill();
      program = undefined;
    },
    start: async () => {
      program ??= await start();
    },
    stop: async () => {
      // A frozen process cannot end.
      if (program !== undefined) process.kill(program.pid, 'SIGCONT');
      await program?.kill();
      program = undefined;
    },
  };
}
