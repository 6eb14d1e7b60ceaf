/** Measures all pages a few times, each time as a new visitor with an empty cache, and reports medians. */
import type { Dashboard } from '../../test/dashboard/harness/dashboard.ts';
import type { Customer } from '../../test/harness/customers.ts';
import { medianOf } from '../measure/statistics.ts';
import type { Section } from '../report/section.ts';
import { atMost } from '../scenarios/targets.ts';
import { measurePage, type PageFigures, type PageToMeasure, slowdown } from './measure-page.ts';

const rounds = 7;
const limits = { firstScriptKilobytes: 300, largestPaintMs: 1_000, interactionMs: 100 };

interface People {
  readonly customer: Customer;
  readonly operator: Customer;
}

interface Measured {
  readonly page: PageToMeasure;
  readonly figures: PageFigures[];
}

export async function measurePages(
  dashboard: Dashboard,
  pages: readonly PageToMeasure[],
  people: People,
): Promise<Section> {
  const measured = pages.map((page): Measured => ({ page, figures: [] }));
  // The first round warms up the server. A moment in which the host is slower meets one round, and not all of one page.
  for (let round = 0; round <= rounds; round += 1) {
    for (const { page, figures } of measured) {
      const one = await visit(dashboard, page, people);
      if (round > 0) figures.push(one);
    }
    console.log(`round ${round} of ${rounds}`);
  }
  return {
    id: 'pages',
    title: 'Pages',
    method:
      'A customer with 100,000 requests in the last 30 days and a payment in every state, and an operator, in Chromium ' +
      `with its CPU slowed ${slowdown} times. All pages are opened one after another, ${rounds} times, each with an ` +
      'empty cache; the table shows medians. **Script** is what is loaded until the page has its data, compressed. ' +
      '**LCP** is the largest contentful paint. **Delay** is the longest from an event of the interaction to the paint ' +
      'after it, in steps of 8 ms; below 16 ms the browser reports none.',
    tables: [{ columns: ['page', 'script, kB', 'LCP, ms', 'delay, ms'], rows: measured.map(rowOf) }],
    notices: [],
    targets: [
      ...atMost({
        figure: 'compressed script of the first page, kB',
        values: measured.find(({ page }) => page.path === '/login')?.figures.map(kilobytesOf),
        limit: limits.firstScriptKilobytes,
      }),
      ...atMost({
        figure: 'largest contentful paint of the slowest page, ms',
        values: [Math.max(...measured.map(({ figures }) => medianOf(figures.map((one) => one.largestPaintMs))))],
        limit: limits.largestPaintMs,
      }),
      ...atMost({
        figure: 'delay of the slowest interaction, ms',
        values: [Math.max(...measured.flatMap((one) => delaysOf(one).map(({ delayMs }) => delayMs)))],
        limit: limits.interactionMs,
      }),
    ],
    figures: measured,
  };
}

async function visit(dashboard: Dashboard, page: PageToMeasure, people: People): Promise<PageFigures> {
  const visitor = await dashboard.newVisitor();
  if (page.as !== 'stranger') await visitor.signIn(people[page.as]);
  const path = page.path.replace('$id', String(people.customer.accountId));
  const figures = await measurePage(visitor.context, dashboard.admin.url + path, page);
  // Or the profile would list every visit as a session.
  await visitor.context.request.post(`${dashboard.admin.url}/api/auth/logout`);
  await visitor.context.close();
  return figures;
}

const kilobytesOf = ({ scriptBytes }: PageFigures) => scriptBytes / 1_000;

function delaysOf({ page, figures }: Measured) {
  return page.interactions.map(({ name }) => ({
    name,
    delayMs: medianOf(figures.map(({ delaysMs }) => delaysMs[name] ?? 0)),
  }));
}

function rowOf(measured: Measured): string[] {
  const { page, figures } = measured;
  const median = (figure: (one: PageFigures) => number) => medianOf(figures.map(figure)).toFixed(0);
  const delays = delaysOf(measured).map(({ name, delayMs }) => `${name} ${delayMs < 16 ? '< 16' : delayMs}`);
  return [`\`${page.path}\``, median(kilobytesOf), median((one) => one.largestPaintMs), delays.join(', ')];
}
