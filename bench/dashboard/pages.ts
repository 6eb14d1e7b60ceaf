/** What is measured on each page: what people do there most. */
import type { Interaction, PageToMeasure } from './measure-page.ts';

const press = (name: string, selector: string): Interaction => ({
  name,
  target: (page) => page.locator(selector).first(),
});

const pressButton = (name: string, button: string): Interaction => ({
  name,
  target: (page) => page.getByRole('button', { name: button, exact: true }).first(),
});

const type = (name: string, label: string, text: string): Interaction => ({
  name,
  target: (page) => page.getByLabel(label, { exact: true }).first(),
  text,
});

export const pagesToMeasure: readonly PageToMeasure[] = [
  { path: '/login', as: 'stranger', interactions: [type('type the email', 'Email', 'anna@example')] },
  { path: '/register', as: 'stranger', interactions: [type('type the email', 'Email', 'anna@example')] },
  { path: '/forgot-password', as: 'stranger', interactions: [type('type the email', 'Email', 'anna@example')] },
  { path: '/', as: 'customer', interactions: [press('go to another page', 'nav a[href="/keys"]')] },
  {
    path: '/keys',
    as: 'customer',
    interactions: [pressButton('open the dialog', 'Create key'), type('type a name', 'Name', 'production')],
  },
  { path: '/models', as: 'customer', interactions: [type('search', 'Search models', 'demo/c')] },
  { path: '/playground', as: 'customer', interactions: [type('type a message', 'Message', 'Hello, world')] },
  {
    path: '/activity',
    as: 'customer',
    interactions: [press('next page', '.pager a'), press('open a receipt', '.data-table tbody tr a')],
  },
  {
    path: '/usage',
    as: 'customer',
    interactions: [press('tokens instead of spend', '.filters label:has-text("Tokens")')],
  },
  { path: '/transactions', as: 'customer', interactions: [press('next page', '.pager a')] },
  { path: '/billing', as: 'customer', interactions: [press('open a payment', '.row-link')] },
  { path: '/billing?tab=documents', as: 'customer', interactions: [] },
  { path: '/billing?topUp=1', as: 'customer', interactions: [type('type the amount', 'Amount, ₽', '1000')] },
  { path: '/alerts', as: 'customer', interactions: [type('type the threshold', 'Threshold, ₽', '250')] },
  {
    path: '/company',
    as: 'customer',
    interactions: [
      type('type a number', 'INN', '7707'),
      // By the keyboard: the list itself is the browser's, which takes about 100 ms to open one on an empty page too.
      { name: 'choose the type', target: (page) => page.locator('label', { hasText: 'Account type' }), text: 'S' },
    ],
  },
  { path: '/profile', as: 'customer', interactions: [pressButton('open the dialog', 'Change email')] },
  { path: '/operator/accounts', as: 'operator', interactions: [type('search', 'Search accounts', 'anna@')] },
  {
    path: '/operator/accounts/$id',
    as: 'operator',
    interactions: [pressButton('open the dialog', 'Credit'), type('type a reason', 'Reason', 'Goodwill')],
  },
  { path: '/operator/accounts/$id?tab=requests', as: 'operator', interactions: [] },
  { path: '/operator/payments', as: 'operator', interactions: [press('open a payment', '.row-link')] },
  { path: '/operator/catalogue', as: 'operator', interactions: [] },
  { path: '/operator/catalogue?tab=change', as: 'operator', interactions: [] },
  { path: '/operator/health', as: 'operator', interactions: [] },
  { path: '/operator/reconciliation', as: 'operator', interactions: [] },
  { path: '/operator/mails', as: 'operator', interactions: [] },
  { path: '/operator/audit', as: 'operator', interactions: [type('search', 'Who', 'operator')] },
];
