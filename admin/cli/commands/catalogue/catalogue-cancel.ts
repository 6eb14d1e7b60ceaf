/** `gateway catalogue cancel`: cancels a scheduled catalogue. */

import { cancelScheduled } from '../../../catalogue/schedule-catalogue.ts';
import { commandActor } from '../../../operations/audit/command-actor.ts';
import { command } from '../../command.ts';
import { withDatabase } from '../../with-database.ts';
import { readId } from '../accounts/name-account.ts';

export const catalogueCancel = command({
  description: 'Cancel a scheduled catalogue',
  args: { id: { type: 'string', required: true, description: 'Its id, as `catalogue scheduled` shows it' } },
  run: (args) => {
    const id = readId(args.id, '--id');
    return withDatabase(async ({ db }) => {
      await cancelScheduled(db, commandActor(), id);
      return { text: `Scheduled catalogue ${id} will not come into force.`, object: { id } };
    });
  },
});
