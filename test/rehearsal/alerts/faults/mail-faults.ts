/** A mail server that is down, or that refuses a recipient. */
import { waitFor } from '../../../harness/account-view.ts';
import type { Product } from '../product/product.ts';
import type { Fault } from './fault.ts';

const queueTimeoutMs = 120_000;

export const mailFaults: readonly Fault[] = [
  {
    name: 'the mail server refuses a recipient',
    fires: ['MailsGivenUp'],
    begin: async (product) => {
      product.mail.refuseRecipients(true);
      await register(product);
      await waitForMail(product, 'failed');
      return async () => product.mail.refuseRecipients(false);
    },
  },
  {
    name: 'the mail server is away, for hours',
    fires: ['MailsDelayed'],
    begin: async (product) => {
      const { mail, database } = product;
      await mail.goAway();
      await register(product);
      await waitForMail(product, 'queued');
      await database.sql`UPDATE mails SET created_at = now() - interval '2 hours' WHERE state = 'queued'`;
      return async () => {
        await mail.comeBack();
        // The next attempt is due minutes later.
        await database.sql`UPDATE mails SET next_attempt_at = now() WHERE state = 'queued'`;
      };
    },
  },
];

/** Which sends a mail. */
async function register({ admins: [admin] }: Product): Promise<void> {
  const response = await fetch(`${admin.url}/api/auth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: `${crypto.randomUUID()}@test.example`, password: crypto.randomUUID() }),
    signal: AbortSignal.timeout(queueTimeoutMs),
  });
  if (!response.ok) throw new Error(`register: ${response.status} ${await response.text()}`);
  await response.arrayBuffer();
}

/** Tried once. */
function waitForMail({ database }: Product, state: 'queued' | 'failed') {
  return waitFor('the first attempt to send a mail', queueTimeoutMs, async () => {
    const [row] = await database.sql`SELECT FROM mails WHERE state = ${state} AND last_error IS NOT NULL`;
    return row;
  });
}
