/** Faults of Postgres under load: no request may fail, and all of them are booked afterwards. */
import type { Fault } from './fault.ts';

export const postgresStopped: Fault = {
  name: 'Postgres stopped for a while',
  touches: 'nothing',
  inject: async ({ postgres }, { awayMs }) => {
    await postgres.stop();
    await Bun.sleep(awayMs);
    await postgres.start();
  },
};

export const postgresKilled: Fault = {
  name: 'Postgres killed and restarted',
  touches: 'nothing',
  inject: async ({ postgres }) => {
    await postgres.kill();
    await postgres.start();
  },
};
