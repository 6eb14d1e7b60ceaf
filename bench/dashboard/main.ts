/**
 * `bun run bench:dashboard [PATH …] [lists]`: the dashboard in a browser with a slow CPU, and the lists that it shows of
 * a long history. Prints the figures; without arguments it also writes them into RESULTS.md beside this file.
 */
import { join } from 'node:path';
import { buildIfStale } from '../../dashboard/build.ts';
import { endChildrenAtExit } from '../../local/processes/child.ts';
import { type Dashboard, startDashboard } from '../../test/dashboard/harness/dashboard.ts';
import { bookHistory } from '../../test/dashboard/harness/history.ts';
import { paymentsEnvironment, seedPayments } from '../../test/dashboard/harness/payments.ts';
import { chromiumPath } from '../../test/harness/clients/browser.ts';
import { SeededRandom } from '../../test/harness/seeded-random.ts';
import { describeHost, describeLoad } from '../report/machine.ts';
import { renderMarkdown, renderTable } from '../report/render-markdown.ts';
import type { Section } from '../report/section.ts';
import { measureLists } from './measure-lists.ts';
import { measurePages } from './measure-pages.ts';
import { pagesToMeasure } from './pages.ts';

const seed = 18;
const historyDays = 30;
const shownRequests = 100_000;
const listedRequests = 1_000_000;
const report = join(import.meta.dir, 'RESULTS.md');
const demoCatalogue = join(import.meta.dir, '../../local/start/demo-catalogue.yaml');

if (!chromiumPath) process.exit(1);
endChildrenAtExit();
const wanted = process.argv.slice(2);
const machine = [...describeHost(), describeLoad()];
await buildIfStale();
process.exit(await run());

async function run(): Promise<number> {
  const yaml = await Bun.file(demoCatalogue).text();
  await using dashboard = await startDashboard({
    catalogue: (baseUrl) => yaml.replace(/\$\{DEMO_URL\}/g, baseUrl),
    adminEnvironment: paymentsEnvironment,
  });
  const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name);
  const pages = pagesToMeasure.filter(({ path }) => isWanted(path));
  const sections: Section[] = [];
  if (pages.length > 0) {
    const customer = await customerWith(dashboard, shownRequests);
    await seedPayments(dashboard, customer);
    const operator = await dashboard.harness.createCustomer({ usd: '0', role: 'operator' });
    sections.push(await measurePages(dashboard, pages, { customer, operator }));
  }
  if (isWanted('lists')) {
    sections.push(await measureLists(dashboard, await customerWith(dashboard, listedRequests), listedRequests));
  }
  const text = renderMarkdown({ head: headOf(sections), sections });
  console.log(text);
  if (wanted.length === 0) await Bun.write(report, text);
  return 0;
}

async function customerWith({ harness }: Dashboard, requests: number) {
  console.log(`booking ${requests.toLocaleString('en')} requests …`);
  const customer = await harness.createCustomer({ usd: '0' });
  const { accountId, proxyKeyId } = customer;
  const random = new SeededRandom(seed);
  await bookHistory(harness, { accountId, keyIds: [proxyKeyId], requests, days: historyDays, random });
  const [spent] = await harness.database.sql<{ dollars: string }[]>`
    SELECT (spent_nano / 1000000000 + 25)::text AS dollars FROM accounts WHERE id = ${accountId}`;
  await harness.credit(accountId, spent?.dollars ?? '0');
  await harness.database.sql`ANALYZE`;
  return customer;
}

function headOf(sections: readonly Section[]): string[] {
  const targets = sections.flatMap((section) => section.targets ?? []);
  const rows = targets.map(({ figure, wanted: target, measured, met }) => [
    figure,
    target,
    measured,
    met ? 'met' : '**not met**',
  ]);
  return [
    '# Benchmark results of the dashboard',
    `Measured on ${new Date().toISOString().slice(0, 10)} with \`bun run bench:dashboard\`. Run it yourself to compare.`,
    renderTable({ columns: ['figure', 'target', 'measured', ''], rows }),
    machine.map((line) => `- ${line}`).join('\n'),
  ];
}
