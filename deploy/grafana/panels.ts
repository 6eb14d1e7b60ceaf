/** Panels of the dashboards: one look, one data source, and a description for each. */
import {
  LegendDisplayMode,
  LegendPlacement,
  StackingConfigBuilder,
  StackingMode,
  VizLegendOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import {
  DashboardBuilder,
  DatasourceVariableBuilder,
  ThresholdsConfigBuilder,
  ThresholdsMode,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as TimeseriesBuilder } from '@grafana/grafana-foundation-sdk/timeseries';

/** Chosen at the top of a dashboard. */
export const datasource = { type: 'prometheus', uid: '$datasource' };

interface Panel {
  readonly title: string;
  readonly description: string;
  /** Grafana's name, such as `percentunit`. */
  readonly unit: string;
}

/** Expressions by the legend of their series. */
type Queries = Readonly<Record<string, string>>;

interface Graph extends Panel {
  readonly queries: Queries;
  readonly isStacked?: boolean;
}

interface Stat extends Panel {
  readonly query: string;
  /** Red from here on. */
  readonly redFrom?: number;
}

const columns = 24;
const graphHeight = 8;
const statHeight = 4;
const graphsInRow = 2;
const statsInRow = 6;

export function dashboard(title: string, { uid, description }: { uid: string; description: string }): DashboardBuilder {
  return new DashboardBuilder(title)
    .uid(uid)
    .description(description)
    .tags(['model-gateway'])
    .timezone('browser')
    .time({ from: 'now-3h', to: 'now' })
    .refresh('30s')
    .withVariable(new DatasourceVariableBuilder('datasource').label('Data source').type('prometheus'));
}

export function graph({ title, description, unit, queries, isStacked = false }: Graph): TimeseriesBuilder {
  const panel = new TimeseriesBuilder()
    .title(title)
    .description(description)
    .datasource(datasource)
    .unit(unit)
    .min(0)
    .height(graphHeight)
    .span(columns / graphsInRow)
    .fillOpacity(isStacked ? 30 : 0)
    .legend(
      new VizLegendOptionsBuilder()
        .displayMode(LegendDisplayMode.List)
        .placement(LegendPlacement.Bottom)
        .showLegend(true)
        .calcs([]),
    );
  if (isStacked) panel.stacking(new StackingConfigBuilder().mode(StackingMode.Normal));
  for (const [legend, expression] of Object.entries(queries)) {
    panel.withTarget(new DataqueryBuilder().datasource(datasource).expr(expression).legendFormat(legend));
  }
  return panel;
}

export function stat({ title, description, unit, query, redFrom }: Stat): StatBuilder {
  const panel = new StatBuilder()
    .title(title)
    .description(description)
    .datasource(datasource)
    .unit(unit)
    .height(statHeight)
    .span(columns / statsInRow)
    .withTarget(new DataqueryBuilder().datasource(datasource).expr(query));
  const isRed = redFrom === undefined ? [] : [{ value: redFrom, color: 'red' }];
  panel.thresholds(
    new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps([{ value: null, color: 'green' }, ...isRed]),
  );
  return panel;
}

/** Of a histogram; `by` names a further label, and `selector` chooses series. */
export function quantile(share: number, histogram: string, by?: string, selector = ''): string {
  const labels = by === undefined ? 'le' : `${by}, le`;
  return `histogram_quantile(${share}, sum by (${labels}) (rate(${histogram}_bucket${selector}[$__rate_interval])))`;
}
