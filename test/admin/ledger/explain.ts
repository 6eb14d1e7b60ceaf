/** How Postgres executes the queries of some code: their plans, executed, with the rows they read. */
import type postgres from 'postgres';
import { connectDatabase, longWaits, openPool } from '../../../admin/database/connect.ts';
import { UsageArchive } from '../../../admin/ledger/archive/usage-archive.ts';
import type { Ledger } from '../../../admin/ledger/ledger.ts';

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

export interface ExplainedQuery {
  readonly query: string;
  readonly parameters: readonly unknown[];
  /** Relations that were scanned completely. */
  readonly scanned: readonly string[];
  readonly indexes: readonly string[];
  /** Rows read from tables, including discarded ones. */
  readonly rowsRead: number;
  /** Rows that the code receives. */
  readonly rowsReturned: number;
}

export interface Explainer extends Ledger {
  readonly sql: postgres.Sql;
  /** Runs the work, then explains every query it has sent. */
  explain(work: () => Promise<unknown>): Promise<ExplainedQuery[]>;
  close(): Promise<void>;
}

export function openExplainer(url: string): Explainer {
  let sent: { query: string; parameters: readonly unknown[] }[] = [];
  const observed = connectDatabase(url, {
    connections: 2,
    onStatement: (query, parameters) => sent.push({ query, parameters: [...parameters] }),
  });
  const asking = openPool(url, longWaits, { max: 1 });
  return {
    ...observed,
    archive: new UsageArchive(undefined),
    explain: async (work) => {
      sent = [];
      await work();
      // The driver asks each new connection for its types.
      const queries = sent.filter(({ query }) => /^[\s(]*select/i.test(query) && !query.includes('pg_catalog.pg_type'));
      const explained: ExplainedQuery[] = [];
      for (const { query, parameters } of queries) {
        const [row] = await asking.unsafe(
          `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${query}`,
          parameters as postgres.ParameterOrJSON<never>[],
        );
        explained.push({ query, parameters, ...summarise(row?.['QUERY PLAN'][0].Plan) });
      }
      return explained;
    },
    close: async () => {
      await Promise.all([observed.close(), asking.end({ timeout: 5 })]);
    },
  };
}

function summarise(root: PlanNode) {
  const nodes = flatten(root);
  const scans = nodes.filter((node) => node['Relation Name'] !== undefined);
  return {
    scanned: scans.filter((node) => node['Node Type'] === 'Seq Scan').map((node) => node['Relation Name'] ?? ''),
    indexes: nodes.flatMap((node) => node['Index Name'] ?? []),
    rowsRead: scans.reduce((sum, node) => sum + rowsOf(node), 0),
    rowsReturned: root['Actual Rows'] ?? 0,
  };
}

function rowsOf(node: PlanNode): number {
  const loops = node['Actual Loops'] ?? 0;
  return ((node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)) * loops;
}

function flatten(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(flatten)];
}
