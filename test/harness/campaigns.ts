/**
 * `npm run test:campaigns` runs every campaign in full; `npm test` runs a part of each. `.ci/run`, which runs both, has the
 * campaigns leave out that part (`CAMPAIGNS=rest`), and with it the tests of their files that are no campaign: what is one has
 * the mark in its name.
 */
import { join } from 'node:path';
import { Glob } from 'bun';

const extent = process.env.CAMPAIGNS;
export const campaignMark = '(campaign)';

/** For `bun test`. */
export const campaignFilter: readonly string[] =
  extent === 'rest' ? ['--test-name-pattern', RegExp.escape(campaignMark)] : [];

export function inCampaign<Value>(part: Value, whole: Value, rest: Value = whole): Value {
  if (extent === 'rest') return rest;
  return extent === 'whole' ? whole : part;
}

/** The test files with a campaign: those that import `inCampaign`. Agents, which have to be installed, have a command of their own. */
export async function campaignFiles(): Promise<string[]> {
  const root = join(import.meta.dir, '../..');
  const found: string[] = [];
  for await (const file of new Glob('test/**/*.test.ts').scan({ cwd: root })) {
    if (file.startsWith('test/proxy/agents/')) continue;
    if (/\binCampaign\b.* from '[./]+harness\/campaigns\.ts'/.test(await Bun.file(join(root, file)).text()))
      found.push(file);
  }
  return found.sort();
}
