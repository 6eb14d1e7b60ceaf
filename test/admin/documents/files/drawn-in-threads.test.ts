/** Documents are drawn in threads of their own, for every recipient. */
import { afterAll, beforeAll, expect, spyOn, test } from 'bun:test';
import { startNotifying } from '../../../../admin/workers/start-notifying.ts';
import { guardTimeoutMs, waitFor } from '../../../harness/account-view.ts';
import { type Customer, testPassword } from '../../../harness/customers.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { type Api, createOperator, logIn, startApi } from '../../api/start-api.ts';
import { sellerFile } from '../books.ts';
import { newDocument } from '../new-document.ts';

let harness: Harness;
let api: Api;
beforeAll(async () => {
  harness = await startHarness();
  api = await startApi(harness, { environment: { SELLER_FILE: sellerFile, CBR_URL: 'off' } });
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

async function download(path: string, token: string): Promise<void> {
  const { status, headers } = await api.call('GET', path, { token });
  expect([status, headers.get('content-type')]).toEqual([200, 'application/pdf']);
}

/** It was queued with the document. */
async function sendMail(_: string, { email }: Customer): Promise<void> {
  const workers = startNotifying(api.services, new AbortController().signal);
  await waitFor('the mail', guardTimeoutMs, async () => {
    const [mail] = await harness.database
      .sql`SELECT state FROM mails WHERE recipient = ${email} AND kind = 'document_ready'`;
    return mail?.state === 'sent';
  });
  await Promise.all(workers.map((worker) => worker.stop()));
}

const ways = {
  'its owner, who downloads it': async (id: string, { email }: Customer) =>
    download(`/api/documents/${id}/pdf`, await logIn(api, email, testPassword)),
  'an operator, who downloads it': async (id: string) =>
    download(`/api/operator/documents/${id}/pdf`, (await createOperator(harness, api)).token),
  'its owner by mail': sendMail,
};

test.each(Object.entries(ways))('the document for %s is drawn in a thread', async (_, get) => {
  const customer = await harness.createCustomer({ usd: '0' });
  const id = await newDocument(harness.database.db, customer.accountId);
  using draw = spyOn(api.services.pdfWorkers, 'draw');
  await get(id, customer);
  expect(draw).toHaveBeenCalledTimes(1);
});
