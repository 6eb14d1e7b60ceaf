/**
 * Pages of the operators' lists: the API lists them in descending order of ids, and the last id of a page leads to the
 * next one. One row more than a page has is asked for, to know whether there is a next page.
 */
import { idOf } from '../app/router/search.ts';

const pageSize = 50;

export interface PageOf<Row> {
  readonly rows: readonly Row[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

/** `?cursor=17`, as the text that links and the pager need. */
export const cursorOf = (search: Readonly<Record<string, unknown>>): string | undefined =>
  idOf(search, 'cursor')?.toString();

/** What to ask the API for. */
export function pageQuery(cursor: string | undefined): { limit: number; beforeId?: number } {
  return { limit: pageSize + 1, ...(cursor !== undefined && { beforeId: Number(cursor) }) };
}

export function pageOf<Row extends { readonly id: number }>(completed: readonly Row[]): PageOf<Row> {
  const rows = completed.slice(0, pageSize);
  return { rows, nextCursor: completed.length > pageSize ? String(rows.at(-1)?.id) : null };
}
