/**
 * Usage over time as stacked columns, each of which is a link to its day or hour: it opens in a new tab as well, and what
 * it leads to begins to load under the pointer. The keyboard passes them by: the table of days has the same links. The
 * legend has the exact values of the column under the pointer, or of the whole range.
 *
 * It is not drawn by the chart library, whose 128 kB would double what the first page loads.
 */
import { Link, type LinkProps } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useLanguage, useTexts } from '../app/i18n/use-texts.ts';
import { type ChartColumn, type ChartData, type Measure, scaleOf, shareOf } from './chart-data.ts';
import { formatMeasure, MeasureValue } from './measure-value.tsx';
import { formatSlot } from './period.ts';
import { nameOfPart, othersId } from './usage-groups.ts';
import type { Slot } from './usage-rows.ts';
import { usageTexts } from './usage-texts.ts';

interface UsageChartProps {
  readonly data: ChartData;
  readonly measure: Measure;
  readonly kind: Slot;
  /** Where a column leads. */
  readonly linkTo: (slot: string) => LinkProps;
  /** What the total in the legend is of, while no column is pointed at. */
  readonly label: ReactNode;
}

/** Of the labels below the columns; a narrow screen has every second of them. */
const labelsMax = 8;

export function UsageChart({ data, measure, kind, linkTo, label }: UsageChartProps) {
  const t = useTexts(usageTexts);
  const language = useLanguage();
  const [pointed, setPointed] = useState<string>();
  const column = data.columns.find(({ slot }) => slot === pointed);
  const scale = scaleOf(data.columns, measure);
  const labelStep = Math.ceil(data.columns.length / labelsMax);
  const describe = ({ slot, total }: ChartColumn) =>
    `${formatSlot(slot, kind, language)}: ${formatMeasure(total, measure, language)}`;
  return (
    <figure className="usage-chart">
      <figcaption className="usage-chart-caption">
        <span className="usage-chart-label">{column ? formatSlot(column.slot, kind, language) : label}</span>
        <span className="usage-chart-total">
          <MeasureValue value={column?.total ?? data.total} measure={measure} />
        </span>
      </figcaption>
      <div className="usage-chart-plot">
        <div className="usage-chart-scale" aria-hidden>
          <span>{formatMeasure(scale.top, measure, language, 'short')}</span>
          <span>{formatMeasure(scale.middle, measure, language, 'short')}</span>
          <span>0</span>
        </div>
        <div className="usage-chart-columns">
          {data.columns.map((one) => (
            <Link
              key={one.slot}
              {...linkTo(one.slot)}
              className="usage-chart-column"
              aria-label={describe(one)}
              onMouseEnter={() => setPointed(one.slot)}
              onMouseLeave={() => setPointed(undefined)}
              tabIndex={-1}
            >
              <Bar column={one} top={scale.top} ids={data.series.map(({ id }) => id)} />
            </Link>
          ))}
        </div>
        <div className="usage-chart-labels" aria-hidden>
          {data.columns.map(({ slot }, index) => (
            <span key={slot} className={index % (2 * labelStep) === 0 ? undefined : 'usage-chart-minor'}>
              {index % labelStep === 0 ? formatSlot(slot, kind, language, 'short') : ''}
            </span>
          ))}
        </div>
      </div>
      <ul className="usage-legend" aria-label={t('legend')}>
        {data.series.map((part, index) => (
          <li key={part.id}>
            <span className="usage-legend-name">
              <span className={`usage-mark usage-series-${part.id === othersId ? 'others' : index}`} aria-hidden />
              {nameOfPart(part, data.group, t)}
            </span>
            <MeasureValue value={(column?.parts ?? data.sums)[index] ?? '0'} measure={measure} />
          </li>
        ))}
      </ul>
    </figure>
  );
}

function Bar({ column, top, ids }: { column: ChartColumn; top: string; ids: readonly string[] }) {
  return (
    <span className="usage-chart-bar">
      {column.parts.map((part, index) => {
        const id = ids[index] ?? '';
        const height = shareOf(part, top);
        if (height === 0) return null;
        return (
          <span
            key={id}
            className={`usage-series-${id === othersId ? 'others' : index}`}
            style={{ height: `${height}%` }}
          />
        );
      })}
    </span>
  );
}
