/** `gateway key rotate`: creates a new key to replace an old one, which keeps working for a while. */
import { pepperInUse } from '../../../../shared/config/key-peppers.ts';
import { checkRotation, parseRotation } from '../../../api/keys/key-bodies.ts';
import { renderReplaced } from '../../../api/keys/key-schemas.ts';
import { loadCommandConfig } from '../../../config/admin.ts';
import type { Transaction } from '../../../database/connect.ts';
import { recordRotatedKey } from '../../../keys/record-key-action.ts';
import { type Rotation, rotateKey } from '../../../keys/rotate-key.ts';
import { commandActor } from '../../../operations/audit/command-actor.ts';
import { command } from '../../command.ts';
import { deliverKey } from '../../deliver-now.ts';
import { withDatabase } from '../../with-database.ts';
import { expiryArgument, keyIdArgument, readKeyFields, readKeyId } from './key-options.ts';
import { requireKey } from './require-key.ts';

export const keyRotate = command({
  description: 'Replace a key with a new one that has the same name and limits',
  args: {
    ...keyIdArgument,
    'grace-hours': { type: 'string', description: 'Hours for which the old key keeps working, 24 by default' },
    ...expiryArgument,
  },
  run: (args) => {
    const pepper = pepperInUse(loadCommandConfig(['keyPeppers']));
    const id = readKeyId(args.id);
    const graceHours = args['grace-hours'];
    const fields = { ...readKeyFields(args), ...(graceHours !== undefined && { graceHours: Number(graceHours) }) };
    const rotation = parseRotation(checkRotation(fields));
    return withDatabase(async (database) => {
      const rotated = await database.db.transaction((transaction) => rotate(transaction, { id, pepper, rotation }));
      const { created, old } = rotated;
      const replaces = renderReplaced(old);
      const delivery = await deliverKey(database, old);
      const text = `Key ${created.id} replaces key ${id}, which expires at ${replaces.expiresAt}. It is shown only once:`;
      return { text: `${text}\n\n  ${created.key}\n\n${delivery}`, object: { ...created, replaces } };
    });
  },
});

async function rotate(
  transaction: Transaction,
  { id, pepper, rotation }: { id: number; pepper: string; rotation: Rotation },
) {
  const owner = await requireKey(transaction, { id });
  const rotated = await rotateKey(transaction, { pepper, owner }, rotation);
  if (rotated === undefined) throw new Error(`key ${id} disappeared although its row is locked`);
  await recordRotatedKey(transaction, commandActor(), rotated);
  return rotated;
}
