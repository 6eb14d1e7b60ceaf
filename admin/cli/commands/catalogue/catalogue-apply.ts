/**
 * `gateway catalogue apply` makes a catalogue file the current one; a bad file changes nothing. `gateway catalogue
 * export` writes the current one as a file that `apply` accepts.
 */
import { counted } from '../../../../shared/counted.ts';
import { applyAudited } from '../../../catalogue/apply-catalogue.ts';
import { readRate } from '../../../catalogue/exchange-rate/exchange-rate.ts';
import { exportCatalogue } from '../../../catalogue/newest-catalogue.ts';
import { keepCataloguePublished } from '../../../catalogue/publish-catalogue.ts';
import { loadCommandConfig } from '../../../config/admin.ts';
import { commandActor } from '../../../operations/audit/command-actor.ts';
import { command } from '../../command.ts';
import { withDatabase } from '../../with-database.ts';
import { withRedis } from '../../with-redis.ts';
import { fileArgument, readCatalogue } from './read-catalogue.ts';

export const catalogueApply = command({
  description: 'Apply a catalogue file',
  args: fileArgument,
  run: async ({ file: path }) => {
    const file = await readCatalogue(path);
    const config = loadCommandConfig(['rubPerUsd', 'cbrUrl']);
    return withDatabase(async (database) => {
      const applied = await applyAudited(database.db, commandActor(), { file });
      const rate = await readRate(database.sql, config);
      const published = await withRedis((redis) => keepCataloguePublished({ database, redis, rate }));
      const delivery = published
        ? 'Every proxy uses it within a second.'
        : 'Redis cannot be reached from here; the running admin will publish it.';
      const models = `${counted(applied.models, 'model')}, ${counted(applied.pricesChanged, 'price')} changed`;
      const removed = applied.modelsRemoved;
      const removal = removed.length === 0 ? '' : ` Removed: ${removed.join(', ')}.`;
      return {
        text: `Version ${applied.version}: ${models}.${removal} ${delivery}`,
        object: { ...applied, published },
      };
    });
  },
});

export const catalogueExport = command({
  description: 'Write the current catalogue as YAML',
  args: { file: { type: 'positional', required: false, description: 'Where to write it; printed if omitted' } },
  run: ({ file: path }) =>
    withDatabase(async (database) => {
      const yaml = await exportCatalogue(database);
      if (path === undefined) return { text: yaml.trimEnd(), object: { catalogue: yaml } };
      await Bun.write(path, yaml);
      return { text: `Wrote ${path}.`, object: { file: path } };
    }),
});
