/** All dashboards, as the files that are committed. */
import { buildOverview } from './overview.ts';
import { buildProviders } from './providers.ts';

export function dashboardFiles(): Readonly<Record<string, string>> {
  const built = { 'overview.json': buildOverview(), 'providers.json': buildProviders() };
  return Object.fromEntries(
    Object.entries(built).map(([name, dashboard]) => [name, `${JSON.stringify(dashboard, null, 2)}\n`]),
  );
}
