/** Writes the dashboards as JSON beside this file, for Grafana to import or to be provisioned with. */
import { join } from 'node:path';
import { dashboardFiles } from './dashboards.ts';

for (const [name, text] of Object.entries(dashboardFiles())) await Bun.write(join(import.meta.dir, name), text);
