/** For files whose tests share stores and customers, but not the programs that they kill. */
import { afterEach } from 'bun:test';
import type { Served } from './programs.ts';

/** Returns what a test hands its starting programs to: they are stopped after it. */
export function programsOfTest(): <Started extends Served>(starting: Promise<Started>) => Promise<Started> {
  let programs: Served[] = [];
  afterEach(async () => {
    await Promise.all(programs.map((program) => program.stop()));
    programs = [];
  });
  return async (starting) => {
    const started = await starting;
    programs.push(started);
    return started;
  };
}
