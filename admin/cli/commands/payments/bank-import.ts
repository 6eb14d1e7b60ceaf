/** `gateway bank import`: reads a bank statement, shows which invoices it pays, and books those that are certain. */
import { counted } from '../../../../shared/counted.ts';
import { renderLine, renderOutcome } from '../../../api/payments/bank-statements/bank-statement-schemas.ts';
import { loadCommandConfig } from '../../../config/admin.ts';
import { readSellerOf } from '../../../documents/seller/read-seller.ts';
import { commandActor } from '../../../operations/audit/command-actor.ts';
import { bookLines } from '../../../payments/bank/book-line.ts';
import { takeStatement } from '../../../payments/bank/take-statement.ts';
import { command } from '../../command.ts';
import { deliverNow } from '../../deliver-now.ts';
import { DetailedError } from '../../describe-failure.ts';
import { listOf } from '../../list.ts';
import { withDatabase } from '../../with-database.ts';

export const bankImport = command({
  description: 'Read a bank statement (1CClientBankExchange) and find the invoices that it pays',
  args: {
    file: { type: 'positional', required: true, description: 'The statement' },
    book: { type: 'boolean', description: 'Book the transfers that are certain' },
  },
  run: async ({ file, book }) => {
    const bytes = await readFile(file);
    const config = loadCommandConfig(['payments', 'rubPerUsd', 'cbrUrl']);
    const seller = readSellerOf(config.payments);
    return withDatabase(async (database) => {
      const services = { config, database, now: () => new Date() };
      const found = await takeStatement({ database, seller }, bytes);
      const certain = found.filter(({ match }) => match.state === 'certain');
      const choices = certain.map(({ id }) => ({ lineId: id, paymentId: undefined }));
      const outcomes = book === true && choices.length > 0 ? await bookLines(services, commandActor(), choices) : [];
      for (const { accountId } of outcomes) if (accountId !== undefined) await deliverNow(database, accountId);
      const after = new Map(outcomes.map((outcome) => [outcome.line.id, renderOutcome(outcome)]));
      const lines = found.map((line) => after.get(line.id) ?? { ...renderLine(line), error: null });
      const failed = lines.filter(({ error }) => error !== null).length;
      const booked = outcomes.length - failed;
      const hint = certain.length > 0 && book !== true ? ' Add --book to book those that are certain.' : '';
      return {
        text: [tableOf(lines), `${counted(lines.length, 'transfer')}, ${booked} booked now.${hint}`],
        object: { lines, booked },
        failed: failed > 0,
      };
    });
  },
});

type Line = ReturnType<typeof renderOutcome>;

function tableOf(lines: readonly Line[]) {
  return listOf(lines, {
    none: 'No incoming transfers.',
    columns: {
      LINE: ({ id }) => id,
      DATE: ({ date }) => date,
      NUMBER: ({ number }) => number,
      AMOUNT: ({ amount }) => amount,
      INN: ({ payer }) => payer.inn,
      PAYER: ({ payer }) => payer.name,
      STATE: ({ state }) => state,
      PAYMENT: ({ paymentId, candidates }) => paymentId ?? candidates[0]?.paymentId ?? null,
      REASON: ({ reason, error }) => error?.message ?? reason,
    },
  });
}

async function readFile(path: string): Promise<Uint8Array> {
  try {
    return await Bun.file(path).bytes();
  } catch (error) {
    throw new DetailedError('file_unreadable', `${path} cannot be read: ${String(error)}`, { param: 'file' });
  }
}
