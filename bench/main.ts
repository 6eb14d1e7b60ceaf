/**
 * `npm run bench`: compares the gateway, with its whole money path, with other servers in its place, on one machine,
 * and writes a report. See options.ts for its command line, and scenarios/ for what is measured.
 */
import { type BenchOptions, readOptions } from './options.ts';
import { renderHead } from './report/head.ts';
import { describeMachine } from './report/machine.ts';
import { renderMarkdown } from './report/render-markdown.ts';
import type { Section } from './report/section.ts';
import { chartName, writeReport } from './report/write-report.ts';
import { onStage } from './stage/on-stage.ts';
import type { SetStage } from './stage/set-stage.ts';

const options = readOptions(process.argv.slice(2));
if (options === undefined) process.exit(2);
if (process.platform !== 'linux') {
  console.error('The bench reads CPU time and memory from /proc, so it needs Linux.');
  process.exit(2);
}
const machine = describeMachine();
const failures: string[] = [];
const exitCode = await onStage({ ...options, essential: options.quick }, async (set, signal) => {
  await report(options, set, await runAll(options, set, signal));
  return failures.length > 0 ? 1 : 0;
});
process.exit(exitCode);

async function runAll({ scenarios }: BenchOptions, { stage }: SetStage, signal: AbortSignal): Promise<Section[]> {
  const sections: Section[] = [];
  for (const [name, scenario] of scenarios) {
    signal.throwIfAborted();
    const startedAtMs = performance.now();
    try {
      sections.push(await scenario(stage));
    } catch (error) {
      if (signal.aborted) throw error;
      // The results of the other scenarios are still reported.
      const problem = `\`${name}\` has failed: ${error instanceof Error ? error.message : error}`;
      failures.push(problem);
      stage.say(problem);
    }
    stage.say(`${name}: ${((performance.now() - startedAtMs) / 1_000).toFixed(0)} s`);
  }
  return sections;
}

async function report(options: BenchOptions, { stage, notices }: SetStage, sections: Section[]): Promise<void> {
  const { out, command, rounds, seconds } = options;
  const hasChart = out !== undefined && sections.some(({ charts = [] }) => charts.length > 0);
  const { contenders } = stage;
  const targets = sections.flatMap((section) => section.targets ?? []);
  const chart = hasChart ? chartName : undefined;
  const head = renderHead({
    machine,
    contenders,
    notices: [...notices, ...failures],
    command,
    rounds,
    seconds,
    chart,
    targets,
  });
  console.log(renderMarkdown({ head, sections }));
  if (out !== undefined) await writeReport(out, { head, sections });
}
