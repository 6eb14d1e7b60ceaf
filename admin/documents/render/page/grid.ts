/** Tables: cells of text that may span columns and rows, and rows that continue on further pages under the same head. */
import type { Align, Paper, TextStyle } from './paper.ts';

export interface Column {
  readonly width: number;
  readonly align?: Align;
}

export interface Cell extends TextStyle {
  readonly text: string;
  /** How many columns it covers. */
  readonly span?: number;
  /** How many rows it covers. */
  readonly rows?: number;
  readonly isMiddle?: boolean;
  readonly hasBorder?: boolean;
}

export type Row = readonly (string | Cell)[];

export interface GridStyle {
  readonly x: number;
  readonly columns: readonly Column[];
  readonly size?: number;
  readonly padding?: number;
  /** Of heads: every cell is centred in both directions. */
  readonly isHead?: boolean;
}

interface PlacedCell {
  readonly cell: Cell;
  readonly x: number;
  readonly width: number;
  readonly align: Align;
  readonly row: number;
  readonly rows: number;
}

const defaultPadding = 2;

/** Draws rows that belong together on this page, and moves below them. */
export function drawGrid(paper: Paper, rows: readonly Row[], style: GridStyle): void {
  const cells = placeCells(rows, style);
  const heights = rowHeights(paper, cells, { ...style, count: rows.length });
  for (const placed of cells) drawCell(paper, placed, { heights, style });
  paper.y += sum(heights);
}

export function gridHeight(paper: Paper, rows: readonly Row[], style: GridStyle): number {
  return sum(rowHeights(paper, placeCells(rows, style), { ...style, count: rows.length }));
}

interface TableParts {
  readonly head: readonly Row[];
  readonly rows: readonly Row[];
  /** Totals, which stay on one page with the last row. */
  readonly foot?: readonly Row[];
  /** The height of what stays on one page with the foot. */
  readonly keep?: number;
}

/** A table that may be longer than a page: each page begins with its head. */
export function drawTable(paper: Paper, { head, rows, foot = [], keep = 0 }: TableParts, style: GridStyle): void {
  const headStyle = { ...style, isHead: true };
  const footHeight = gridHeight(paper, foot, style) + keep;
  let isBegun = false;
  const begin = () => drawGrid(paper, head, headStyle);
  rows.forEach((row, index) => {
    const needed = gridHeight(paper, [row], style) + (index === rows.length - 1 ? footHeight : 0);
    const headHeight = isBegun ? 0 : gridHeight(paper, head, headStyle);
    if (!paper.hasRoom(headHeight + needed)) {
      paper.newPage();
      isBegun = false;
    }
    if (!isBegun) begin();
    isBegun = true;
    drawGrid(paper, [row], style);
  });
  if (!isBegun) begin();
  drawGrid(paper, foot, style);
}

/** As in HTML: a cell takes the next free columns of its row. */
function placeCells(rows: readonly Row[], { x, columns, isHead = false }: GridStyle): PlacedCell[] {
  const lefts = columns.map((_, index) => x + sum(columns.slice(0, index).map(({ width }) => width)));
  const taken = new Set<string>();
  return rows.flatMap((row, rowIndex) => {
    let column = 0;
    return row.map((content): PlacedCell => {
      const cell: Cell = typeof content === 'string' ? { text: content } : content;
      while (taken.has(`${rowIndex} ${column}`)) column += 1;
      const { span = 1, rows: rowCount = 1 } = cell;
      for (let below = 0; below < rowCount; below += 1) {
        for (let beside = 0; beside < span; beside += 1) taken.add(`${rowIndex + below} ${column + beside}`);
      }
      const covered = columns.slice(column, column + span);
      const own = cell.align ?? (isHead ? 'center' : (covered[0]?.align ?? 'left'));
      const placed = { cell, x: lefts[column] ?? x, width: sum(covered.map(({ width }) => width)) };
      column += span;
      return { ...placed, align: own, row: rowIndex, rows: rowCount };
    });
  });
}

/** A cell over several rows makes the last of them higher if they have too little room for it. */
function rowHeights(
  paper: Paper,
  cells: readonly PlacedCell[],
  style: GridStyle & { readonly count: number },
): readonly number[] {
  const heights = Array.from({ length: style.count }, () => 0);
  const { padding = defaultPadding } = style;
  for (const { cell, width, row, rows } of cells.toSorted((one, other) => one.rows - other.rows)) {
    const needed = paper.heightOf(cell.text, width - 2 * padding, styleOf(cell, style)) + 2 * padding;
    const last = row + rows - 1;
    const missing = needed - sum(heights.slice(row, last + 1));
    if (missing > 0) heights[last] = (heights[last] ?? 0) + missing;
  }
  return heights;
}

function drawCell(
  paper: Paper,
  { cell, x, width, align, row, rows }: PlacedCell,
  { heights, style }: { readonly heights: readonly number[]; readonly style: GridStyle },
): void {
  const { padding = defaultPadding, isHead = false } = style;
  const y = paper.y + sum(heights.slice(0, row));
  const height = sum(heights.slice(row, row + rows));
  const inner = width - 2 * padding;
  const own = styleOf(cell, style);
  const isMiddle = cell.isMiddle ?? isHead;
  const offset = isMiddle ? (height - paper.heightOf(cell.text, inner, own)) / 2 : padding;
  paper.text(cell.text, { x: x + padding, y: y + offset, width: inner, align, ...own });
  if (cell.hasBorder !== false) paper.box({ x, y, width, height });
}

function styleOf({ size, bold = false }: Cell, style: GridStyle): { size: number; bold: boolean } {
  return { size: size ?? style.size ?? 9, bold };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
