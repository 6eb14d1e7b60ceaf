/**
 * A table whose rows come from the server page by page. On a narrow screen each row becomes a card, so that nothing is
 * wider than the page.
 */
import { Skeleton, VisuallyHidden } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { memo, type ReactNode, type SyntheticEvent, useDeferredValue } from 'react';
import { ErrorState } from '../errors/error-state.tsx';
import { LateSkeleton, OutdatedNote } from './loaded.tsx';

export interface Column<Row> {
  readonly id: string;
  readonly header: string;
  readonly render: (row: Row) => ReactNode;
  /** Numbers are aligned at the right. */
  readonly align?: 'right';
  /** For a column of buttons: its header is for screen readers only. */
  readonly isActions?: boolean;
}

/** Of rows that are there already, it has never failed and is never a placeholder. */
export type TableQuery = Pick<UseQueryResult, 'error' | 'refetch' | 'isFetching'> & {
  readonly isPlaceholderData?: boolean;
};

export interface DataTableProps<Row> {
  /** What the table lists, for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  /** Undefined until they are loaded. */
  readonly rows: readonly Row[] | undefined;
  readonly rowKey: (row: Row) => string | number;
  readonly query: TableQuery;
  readonly empty: ReactNode;
  readonly skeletonRows?: number;
  /** Below the rows: usually a `Pager`. */
  readonly pager?: ReactNode;
}

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { rows, query, empty, pager } = props;
  if (rows === undefined && query.error !== null) {
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  }
  if (rows?.length === 0 && pager === undefined) return empty;
  const { label, columns, rowKey } = props;
  return (
    <>
      <OutdatedNote query={query} />
      <Former isFormer={query.isPlaceholderData ?? false}>
        {rows === undefined ? (
          <SkeletonTable {...props} />
        ) : rows.length === 0 ? (
          empty
        ) : (
          <Rows label={label} columns={columns} rows={rows} rowKey={rowKey} />
        )}
        {pager}
      </Former>
    </>
  );
}

/**
 * Rows that were asked for before the filter or the page changed are shown until the new ones are here, but lead nowhere: the
 * cursor of the former list does not belong to the new one.
 */
function Former({ isFormer, children }: { isFormer: boolean; children: ReactNode }) {
  const refuse = (event: SyntheticEvent) => {
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className="data-table-rows" {...(isFormer && { 'aria-busy': true, onClickCapture: refuse })}>
      {children}
    </div>
  );
}

type RowsProps<Row> = Pick<DataTableProps<Row>, 'label' | 'columns' | 'rowKey'> & { readonly rows: readonly Row[] };

/** At least, in pixels. */
const spaceAbove = 200;
const rowHeight = 41;

/** They are drawn first, with the rest of the page; the rows below the screen follow. */
const countRowsOnScreen = () => Math.max(1, Math.ceil((window.innerHeight - spaceAbove) / rowHeight));

/** A page that keeps its columns keeps its rows too: opening a panel beside fifty of them draws none again. */
const Rows = memo(DrawnRows) as typeof DrawnRows;

function DrawnRows<Row>({ label, columns, rows, rowKey }: RowsProps<Row>) {
  const firstRows = countRowsOnScreen();
  const isWhole = useDeferredValue(true, rows.length <= firstRows);
  const drawn = isWhole ? rows : rows.slice(0, firstRows);
  return (
    <div className="data-table-frame" aria-busy={isWhole ? undefined : true}>
      <table className="data-table" aria-label={label}>
        <Head columns={columns} />
        <tbody>
          {drawn.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map((column) => (
                <td key={column.id} data-label={column.isActions ? '' : column.header} className={classOf(column)}>
                  {column.render(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function SkeletonTable<Row>({ columns, skeletonRows = 8 }: DataTableProps<Row>) {
  return (
    <LateSkeleton>
      <div className="data-table-skeleton">
        {[...new Array(skeletonRows).keys()].map((row) => (
          <div key={row} className="data-table-skeleton-row">
            {columns.map(({ id }) => (
              <Skeleton key={id} height={12} />
            ))}
          </div>
        ))}
      </div>
    </LateSkeleton>
  );
}

function Head<Row>({ columns }: Pick<DataTableProps<Row>, 'columns'>) {
  return (
    <thead>
      <tr>
        {columns.map((column) => (
          <th key={column.id} scope="col" className={classOf(column)}>
            {column.isActions ? <VisuallyHidden>{column.header}</VisuallyHidden> : column.header}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function classOf<Row>({ align, isActions }: Column<Row>): string | undefined {
  if (isActions) return 'cell-actions';
  return align === 'right' ? 'cell-number' : undefined;
}

/** In place of a query, for a table whose rows have come with something else. */
export const loadedQuery: TableQuery = {
  error: null,
  isFetching: false,
  refetch: () => Promise.reject(new Error('There is no query.')),
};
