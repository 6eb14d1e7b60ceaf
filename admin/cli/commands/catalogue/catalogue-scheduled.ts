/** `gateway catalogue scheduled`: the catalogues that come into force later. */
import { listScheduled } from '../../../catalogue/schedule-catalogue.ts';
import { command } from '../../command.ts';
import { listOf } from '../../list.ts';
import { withDatabase } from '../../with-database.ts';

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
      const text = listOf(scheduled, {
        none: 'Nothing is scheduled.',
        columns: { ID: ({ id }) => id, FROM: ({ effectiveFrom }) => effectiveFrom, MADE: ({ createdAt }) => createdAt },
      });
      return { text, object: { scheduled } };
    }),
});
