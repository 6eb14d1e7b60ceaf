/**
 * `npm run screenshots [PATH …] [VIEW …]`: starts the whole product with demonstration data, and writes a picture of every
 * page into dashboard/screenshots: light, dark and narrow, in both languages; or of some, such as `/login ru-narrow`. Look at
 * them after a change.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buildIfStale } from '../../../dashboard/build.ts';
import { endChildrenAtExit } from '../../../local/processes/child.ts';
import { chromiumPath } from '../../harness/clients/browser.ts';
import { startTestPostgres } from '../../harness/postgres.ts';
import { namedCatalogue } from '../../harness/providers/named-catalogue.ts';
import { type Dashboard, type DashboardVisitor, settled, startDashboard } from '../harness/dashboard.ts';
import { paymentsEnvironment } from '../harness/payments.ts';
import { demoPages, type PageToPicture, pictured } from './demo-pages.ts';
import { seedDemo } from './seed-demo.ts';

const folder = join(import.meta.dir, '../../../dashboard/screenshots');
const wide = { width: 1280, height: 900 };
const narrow = { width: 360, height: 780 };
const views = [
  { name: 'light', colorScheme: 'light', viewport: wide },
  { name: 'dark', colorScheme: 'dark', viewport: wide },
  { name: 'narrow', colorScheme: 'light', viewport: narrow },
] as const;
const locales = ['en-GB', 'ru-RU'] as const;

if (!chromiumPath) process.exit(1);
endChildrenAtExit();
await buildIfStale();
const postgres = await startTestPostgres();
process.env.TEST_POSTGRES_URL = postgres.url;
try {
  await using dashboard = await startDashboard({ catalogue: namedCatalogue, adminEnvironment: paymentsEnvironment });
  const people = await seedDemo(dashboard);
  const typed = process.argv.slice(2);
  const wanted = typed.filter((word) => word.startsWith('/'));
  const wantedViews = typed.filter((word) => !word.startsWith('/'));
  // A path, with the paths and searches below it; `/` is the overview only.
  const isWanted = (path: string) =>
    wanted.some((part) => [path, path.split('?')[0]].includes(part) || path.startsWith(`${part}/`));
  const pages = demoPages.filter(({ path }) => wanted.length === 0 || isWanted(path));
  if (typed.length === 0) await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const locale of locales) {
    for (const view of views) {
      const name = `${locale.slice(0, 2)}-${view.name}`;
      if (wantedViews.length > 0 && !wantedViews.includes(name)) continue;
      for (const person of pictured) {
        const visitor = await dashboard.newVisitor({ locale, colorScheme: view.colorScheme, viewport: view.viewport });
        const code = person === 'guarded' && { code: people.codes.pop() ?? '' };
        if (person !== 'stranger') await visitor.signIn({ ...people[person], ...code });
        const own = pages.filter((page) => page.as === person);
        for (const page of own) await takePicture(visitor, page, name);
      }
    }
  }
  report(dashboard);
} finally {
  await postgres.stop();
}
process.exit(0);

async function takePicture(visitor: DashboardVisitor, { path, as, name, prepare }: PageToPicture, view: string) {
  const page = await visitor.visit(path);
  await prepare?.(page);
  await settled(page);
  const file = `${name ?? (path.replace(/^\//, '').replaceAll(/[^\w-]+/g, '-') || 'overview')}-${as}-${view}.png`;
  await page.screenshot({ path: join(folder, file), fullPage: prepare === undefined });
  await page.close();
  console.log(file);
}

function report(dashboard: Dashboard): void {
  dashboard.expectClean();
  console.log(`Written to ${folder}`);
}
