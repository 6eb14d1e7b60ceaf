/** The playground as its visitors use it. */
import type { Page } from 'playwright-core';
import { usageOf } from '../../../local/demo-provider/usage.ts';
import type { Customer } from '../../harness/customers.ts';
import { deltasResponse } from '../../harness/providers/completions.ts';
import type { Behaviour } from '../../harness/providers/scripted-provider.ts';
import type { Dashboard, DashboardVisitor } from './dashboard.ts';

/** A charge is booked within this time, including that of a response that was stopped. */
export const settleTimeoutMs = 120_000;

export interface Playground {
  /** Opens it as a new customer with this balance. */
  enter(usd?: string): Promise<{ customer: Customer; visitor: DashboardVisitor; page: Page }>;
  /** Opens it in another tab. */
  open(visitor: DashboardVisitor): Promise<Page>;
  closeAll(): Promise<void>;
}

export function openPlayground({ harness, newVisitor }: Dashboard): Playground {
  const opened: Page[] = [];
  const open = async (visitor: DashboardVisitor): Promise<Page> => {
    const page = await visitor.visit('/playground?model=test/chat');
    opened.push(page);
    return page;
  };
  return {
    open,
    enter: async (usd = '5') => {
      const customer = await harness.createCustomer({ usd });
      const visitor = await newVisitor();
      await visitor.signIn(customer);
      return { customer, visitor, page: await open(visitor) };
    },
    closeAll: async () => {
      await Promise.all(opened.splice(0).map((page) => page.close()));
    },
  };
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
