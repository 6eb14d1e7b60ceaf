/** The panels of Grafana's dashboards, and their Prometheus queries. */

export interface Panel {
  readonly title?: string;
  readonly type: string;
  readonly description?: string;
  readonly gridPos?: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string }[];
  readonly panels?: readonly Panel[];
}

export function panelsOf(dashboard: string): Panel[] {
  const { panels } = JSON.parse(dashboard) as { panels: Panel[] };
  return panels.flatMap((panel) => [panel, ...(panel.panels ?? [])]).filter(({ type }) => type !== 'row');
}

/** As Prometheus receives them, for rates over five minutes and for every deployment. */
export function expressionsOf(dashboard: string): string[] {
  const fill = (expression: string) => expression.replaceAll('$__rate_interval', '5m').replaceAll('$deployment', '.+');
  return panelsOf(dashboard).flatMap(({ targets = [] }) => targets.map(({ expr }) => fill(expr)));
}
