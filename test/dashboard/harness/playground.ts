/** The playground as its visitors use it. */
import type { Page } from 'playwright-core';
import { usageOf } from '../../../local/demo-provider/usage.ts';
import type { Customer } from '../../harness/customers.ts';
import { deltasResponse } from '../../harness/providers/completions.ts';
import type { Behaviour } from '../../harness/providers/scripted-provider.ts';
import type { Dashboard } from './dashboard.ts';

/** A charge is booked within this time, including that of a response that was stopped. */
export const settleTimeoutMs = 120_000;

/** Opens it as a new customer with this balance. */
export async function enterPlayground(
  { harness, openAs }: Dashboard,
  usd = '5',
): Promise<{ customer: Customer; page: Page }> {
  const customer = await harness.createCustomer({ usd });
  return { customer, page: await openAs(customer, '/playground?model=test/chat') };
}

export async function say(page: Page, message: string): Promise<void> {
  await page.getByLabel('Message').fill(message);
  await page.getByRole('button', { name: 'Send' }).click();
}

/** The newest one. */
export const response = (page: Page) => page.locator('.model-response').last();

/** What it cost, and how long it took. */
export const facts = (page: Page) => response(page).locator('.model-response-facts');

/** The stream of a model that writes this text in one chunk. */
export const textResponse = (text: string): Behaviour => deltasResponse([{ content: text }], 'stop', usageOf(10, 10));
