/** `gateway catalogue apply`: makes a catalogue file the one in force. A bad file changes nothing. */
import { loadCommandConfig } from '../../../../shared/config/admin.ts';
import { applyAudited } from '../../../catalogue/apply-audited.ts';
import { readRate } from '../../../catalogue/exchange-rate/read-rate.ts';
import { keepCataloguePublished } from '../../../catalogue/publish-catalogue.ts';
import { commandActor } from '../../../operations/audit/command-actor.ts';
import { command } from '../../command.ts';
import { countOf } from '../../count-of.ts';
import { withDatabase } from '../../with-database.ts';
import { withRedis } from '../../with-redis.ts';
import { fileArgument, readCatalogue } from './read-catalogue.ts';

export const catalogueApply = command({
  description: 'Put a catalogue file into force',
  args: fileArgument,
  run: async ({ file: path }) => {
    const file = await readCatalogue(path);
    const config = loadCommandConfig(['rubPerUsd', 'cbrUrl']);
    return withDatabase(async (database) => {
      const applied = await applyAudited(database.db, commandActor(), file);
      const rate = await readRate(database.sql, config);
      const published = await withRedis((redis) => keepCataloguePublished({ database, redis, rate }));
      const delivery = published
        ? 'Every proxy uses it within a second.'
        : 'Redis cannot be reached from here; the running admin will publish it.';
      const models = `${countOf(applied.models, 'model')}, ${countOf(applied.pricesChanged, 'price')} changed`;
      const removed = applied.modelsRemoved;
      const gone = removed.length === 0 ? '' : ` Removed: ${removed.join(', ')}.`;
      return {
        text: `Version ${applied.version}: ${models}.${gone} ${delivery}`,
        object: { ...applied, published },
      };
    });
  },
});
