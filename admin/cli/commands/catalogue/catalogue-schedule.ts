/**
 * `gateway catalogue schedule` applies a catalogue file at a given time, `scheduled` lists such catalogues, and
 * `cancel` cancels one.
 */
import { cancelScheduled, listScheduled, scheduleCatalogue } from '../../../catalogue/schedule-catalogue.ts';
import { parseInstant } from '../../../http/request/parse-instant.ts';
import { commandActor } from '../../../operations/audit/command-actor.ts';
import { command } from '../../command.ts';
import { listOf } from '../../list.ts';
import { withDatabase } from '../../with-database.ts';
import { readId } from '../accounts/name-account.ts';
import { fileArgument, readCatalogue } from './read-catalogue.ts';

export const catalogueSchedule = command({
  description: 'Schedule a catalogue file',
  args: {
    ...fileArgument,
    at: { type: 'string', required: true, description: 'When, such as 2030-01-31T12:00:00Z' },
  },
  run: async ({ file: path, at }) => {
    const effectiveFrom = parseInstant(at, 'at');
    const file = await readCatalogue(path);
    return withDatabase(async ({ db }) => {
      const { id } = await scheduleCatalogue(db, commandActor(), { file, effectiveFrom });
      const moment = effectiveFrom.toISOString();
      return {
        text: `Scheduled as ${id}: the running admin will apply it at ${moment}.`,
        object: { id, effectiveFrom: moment },
      };
    });
  },
});

export const catalogueScheduled = command({
  description: 'List the scheduled catalogues',
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

export const catalogueCancel = command({
  description: 'Cancel a scheduled catalogue',
  args: { id: { type: 'string', required: true, description: 'Its id, as `catalogue scheduled` shows it' } },
  run: (args) => {
    const id = readId(args.id, '--id');
    return withDatabase(async ({ db }) => {
      await cancelScheduled(db, commandActor(), id);
      return { text: `Scheduled catalogue ${id} is cancelled.`, object: { id } };
    });
  },
});
