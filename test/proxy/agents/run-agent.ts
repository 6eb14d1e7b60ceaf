/** Runs an agent as its user would, in folders of its own. It reaches the gateway and needs nothing else. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Agent, Place } from './agents.ts';

/** A guard against an agent that waits for something that never comes. */
export const timeoutMs = 900_000;

export interface Outcome {
  readonly exitCode: number;
  readonly printed: string;
  /** What the agent has written into `note.txt`; undefined if it has not. */
  readonly note: string | undefined;
}

export async function runAgent(agent: Agent, place: Place, installed: string): Promise<Outcome> {
  const work = join(place.home, 'work');
  await mkdir(work, { recursive: true });
  for (const [path, text] of Object.entries(agent.files?.(place) ?? {})) await Bun.write(join(place.home, path), text);
  const environment = {
    PATH: process.env.PATH ?? '',
    HOME: place.home,
    XDG_CACHE_HOME: join(place.home, '.cache'),
    ...agent.environment?.(place),
  };
  const run = async ([program = '', ...args]: readonly string[]) => {
    const child = Bun.spawn([join(installed, 'node_modules/.bin', program), ...args], {
      cwd: work,
      env: environment,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    });
    const texts = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    return { exitCode: await child.exited, printed: texts.join('\n') };
  };
  try {
    if (agent.prepare !== undefined) await run(agent.prepare(place));
    const outcome = await run(agent.command);
    const note = Bun.file(join(work, 'note.txt'));
    return { ...outcome, note: (await note.exists()) ? await note.text() : undefined };
  } finally {
    if (agent.end !== undefined) await run(agent.end);
  }
}
