/** Writes the report, its chart and everything that was measured side by side. */
import { dirname, join } from 'node:path';
import { renderChart } from './render-chart.ts';
import { renderMarkdown } from './render-markdown.ts';
import type { Section } from './section.ts';

export const chartName = 'chart.svg';

export async function writeReport(
  file: string,
  { head, sections }: { head: readonly string[]; sections: readonly Section[] },
): Promise<void> {
  const directory = dirname(file);
  const charts = sections.flatMap((section) => section.charts ?? []);
  await Bun.write(file, renderMarkdown({ head, sections }));
  if (charts.length > 0) await Bun.write(join(directory, chartName), renderChart(charts));
  const figures = sections.map(({ id, figures }) => ({ id, figures }));
  await Bun.write(join(directory, 'results.json'), `${JSON.stringify(figures, null, 1)}\n`);
}
