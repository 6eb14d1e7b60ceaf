/** `gateway catalogue schedule`: puts a catalogue file into force at a given time. */

import { scheduleCatalogue } from '../../../catalogue/schedule-catalogue.ts';
import { parseInstant } from '../../../http/request/parse-instant.ts';
import { commandActor } from '../../../operations/audit/command-actor.ts';
import { command } from '../../command.ts';
import { withDatabase } from '../../with-database.ts';
import { fileArgument, readCatalogue } from './read-catalogue.ts';

export const catalogueSchedule = command({
  description: 'Put a catalogue file into force later',
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
        text: `Scheduled as ${id}: the running admin will put it into force at ${moment}.`,
        object: { id, effectiveFrom: moment },
      };
    });
  },
});
