/** Programs that are killed, restart, or stand still. */
import type { Fault } from './fault.ts';

const stopMs = 700;
const restarts = 3;

export const programFaults: readonly Fault[] = [
  {
    name: 'a proxy is stopped for 0.7 s',
    fires: ['EventLoopStops'],
    lingers: true,
    begin: async ({ proxies: [proxy] }) => {
      process.kill(proxy.pid, 'SIGSTOP');
      await Bun.sleep(stopMs);
      process.kill(proxy.pid, 'SIGCONT');
      return async () => {};
    },
  },
  {
    name: 'a proxy is killed',
    fires: ['ProxyDown'],
    begin: async ({ proxies: [, proxy] }) => {
      await proxy.kill();
      return proxy.start;
    },
  },
  {
    name: 'both proxies are killed',
    fires: ['AllProxiesDown'],
    mayFire: ['ProxyDown'],
    begin: async ({ proxies }) => {
      await Promise.all(proxies.map((proxy) => proxy.kill()));
      return () => Promise.all(proxies.map((proxy) => proxy.start()));
    },
  },
  {
    name: 'both admins are killed',
    fires: ['AllAdminsDown'],
    mayFire: ['ReplayBufferFilling'],
    begin: async ({ admins }) => {
      await Promise.all(admins.map((admin) => admin.kill()));
      return () => Promise.all(admins.map((admin) => admin.start()));
    },
  },
  {
    name: 'an admin is killed three times',
    fires: ['Restarting'],
    begin: async ({ admins: [, admin] }) => {
      for (let kills = 0; kills < restarts; kills += 1) {
        await admin.kill();
        await admin.start();
      }
      return async () => {};
    },
  },
];
