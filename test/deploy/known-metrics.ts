/** The metrics that docs/metrics.md lists, and those that an expression of Prometheus uses. */
import { join } from 'node:path';

export const root = join(import.meta.dir, '../..');

export interface KnownMetric {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
}

/** By heading: `Both programs`, `The proxy`, `Admin`. */
export async function documentedMetrics(): Promise<ReadonlyMap<string, readonly KnownMetric[]>> {
  const text = await Bun.file(join(root, 'docs/metrics.md')).text();
  const sections = text.split(/^## /m).slice(1);
  return new Map(
    sections.map((section) => {
      const rows = section.matchAll(/^\| `(\w+)` \| (\w+) \| ([^|]*)\|/gm);
      const metrics = [...rows].map(([, name = '', type = '', labels = '']) => ({
        name,
        type,
        labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label).sort(),
      }));
      return [section.slice(0, section.indexOf('\n')), metrics] as const;
    }),
  );
}

/** Every name that a query can use. */
export async function queryableNames(): Promise<ReadonlySet<string>> {
  const documented = [...(await documentedMetrics()).values()].flat();
  const suffixes = ['_bucket', '_sum', '_count'];
  const names = documented.flatMap(({ name, type }) =>
    type === 'histogram' ? suffixes.map((suffix) => `${name}${suffix}`) : [name],
  );
  // Metrics of Prometheus itself, and of any process.
  return new Set([
    ...names,
    'up',
    'process_start_time_seconds',
    'process_cpu_seconds_total',
    'process_resident_memory_bytes',
  ]);
}

/** Only metrics have an underscore, or come before braces, and are no functions and no labels. */
export function metricsOf(expression: string): string[] {
  const withoutLabels = expression
    .replaceAll(/\{[^}]*\}/g, '')
    .replaceAll(/"[^"]*"/g, '')
    .replaceAll(/\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, '');
  const names = [...withoutLabels.matchAll(/\b[a-z_:]\w*\b(?!\s*\()/g)].map(([name]) => name);
  return [...new Set(names.filter((name) => name.includes('_') || name === 'up'))];
}
