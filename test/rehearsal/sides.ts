/** The programs behind the load balancer: two sides, each a proxy and an admin that keep their ports when replaced. */
import { freePort } from '../../local/servers/ports.ts';
import type { World } from '../chaos/world/world.ts';
import { waitFor } from '../harness/account-view.ts';
import { type LoadBalancer, startLoadBalancer } from '../harness/load-balancer.ts';
import { type Program, startProgram } from '../harness/programs.ts';

const rotationTimeoutMs = 120_000;

export type ProgramName = 'proxy' | 'admin';

export interface Slot {
  readonly name: ProgramName;
  readonly side: number;
  readonly port: number;
  /** The folder of another release. */
  readonly source: string | undefined;
  program: Program;
}

export interface SidesOptions {
  readonly graceSeconds: number;
  /** The folder of the last release, to run on the second side. */
  readonly secondSource?: string | undefined;
}

export interface Sides {
  readonly slots: readonly Slot[];
  readonly balancer: LoadBalancer;
  /** SIGTERM, and a new program on the same port once the old one has exited. Resolves with how it exited. */
  replace(slot: Slot): Promise<string>;
  /** SIGKILL, and a new program on the same port, as by a supervisor. */
  kill(slot: Slot): Promise<void>;
  stop(): Promise<void>;
}

export async function startSides(world: World, { graceSeconds, secondSource }: SidesOptions): Promise<Sides> {
  const { directory } = world;
  const startOn = (name: ProgramName, port: number, source: string | undefined) => {
    const ports = name === 'proxy' ? { PROXY_PORT: String(port) } : { ADMIN_PORT: String(port) };
    const shutdown = { SHUTDOWN_ANNOUNCE_SECONDS: '3', SHUTDOWN_GRACE_SECONDS: String(graceSeconds) };
    const environment = { ...world.environment, ...ports, ...shutdown };
    return startProgram({ name, directory, source, environment });
  };
  const startSlot = async (name: ProgramName, side: number): Promise<Slot> => {
    const [port, source] = [await freePort(), side === 2 ? secondSource : undefined];
    return { name, side, port, source, program: await startOn(name, port, source) };
  };
  const slots: Slot[] = [];
  for (const name of ['admin', 'proxy'] as const) for (const side of [1, 2]) slots.push(await startSlot(name, side));
  const programsOf = (name: ProgramName) => slots.filter((slot) => slot.name === name).map(({ program }) => program);
  const balancer = await startLoadBalancer({ directory, proxies: programsOf('proxy'), admins: programsOf('admin') });

  const whenAllInRotation = () =>
    waitFor('every program to be in rotation', rotationTimeoutMs, async () => {
      const [proxies, admins] = [await balancer.readyServers('proxies'), await balancer.readyServers('admins')];
      return proxies.length + admins.length === slots.length;
    });
  const startAgain = async (slot: Slot) => {
    slot.program = await startOn(slot.name, slot.port, slot.source);
    await whenAllInRotation();
  };
  await whenAllInRotation();
  return {
    slots,
    balancer,
    replace: async (slot) => {
      process.kill(slot.program.pid, 'SIGTERM');
      const ending = await slot.program.exited;
      await startAgain(slot);
      return ending;
    },
    kill: async (slot) => {
      await slot.program.kill();
      await startAgain(slot);
    },
    stop: async () => {
      await balancer.stop();
      await Promise.all(slots.map(({ program }) => program.kill()));
    },
  };
}
