/** `gateway catalogue scheduled`: what will come into force. */
import { listScheduled } from '../../catalogue/schedule-catalogue.ts';
import { command } from '../command.ts';
import { withDatabase } from '../with-database.ts';

export const catalogueScheduled = command({
  description: 'List the catalogues that come into force later',
  args: {},
  run: () =>
    withDatabase(async ({ db }) => {
      const scheduled = (await listScheduled(db)).map(({ id, effectiveFrom, createdAt }) => ({
        id,
        effectiveFrom: effectiveFrom.toISOString(),
        createdAt: createdAt.toISOString(),
      }));
      const lines = scheduled.map(({ id, effectiveFrom }) => `${id}\t${effectiveFrom}`);
      return { text: lines.length === 0 ? 'Nothing is scheduled.' : lines.join('\n'), object: { scheduled } };
    }),
});
