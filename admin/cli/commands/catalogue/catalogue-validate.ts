/**
 * `gateway catalogue validate`: checks a catalogue file and changes nothing. Needs no configuration, but where there is a
 * database it also says which models the file would take out.
 */
import { isVariableSet } from '../../../../shared/config/admin.ts';
import type { CatalogueFile } from '../../../catalogue/catalogue-file.ts';
import { findRemovedModels } from '../../../catalogue/newest-catalogue.ts';
import { command } from '../../command.ts';
import { countOf } from '../../count-of.ts';
import { describeFailure } from '../../describe-failure.ts';
import { withDatabase } from '../../with-database.ts';
import { fileArgument, readCatalogue } from './read-catalogue.ts';

export const catalogueValidate = command({
  description: 'Check a catalogue file and change nothing',
  args: fileArgument,
  run: async ({ file: path }) => {
    const file = await readCatalogue(path);
    const models = file.models.length;
    const providers = file.providers.length;
    const usable = `${path} is usable: ${countOf(models, 'model')} of ${countOf(providers, 'provider')}.`;
    const { said, ...compared } = await compare(file);
    return { text: usable + said, object: { ok: true, models, providers, ...compared } };
  },
});

interface Comparison {
  /** A sentence for the operator, after a space; empty where there is nothing to say. */
  readonly said: string;
  /** Left out where it cannot be known. */
  readonly modelsRemoved?: readonly string[];
}

/** With the catalogue in force. A file is no worse for a database that does not answer. */
async function compare(file: CatalogueFile): Promise<Comparison> {
  if (!isVariableSet('DATABASE_URL')) return { said: '' };
  try {
    const modelsRemoved = await withDatabase(({ db }) => findRemovedModels(db, file));
    const said = modelsRemoved.length === 0 ? '' : ` It would take out: ${modelsRemoved.join(', ')}.`;
    return { said, modelsRemoved };
  } catch (error) {
    return { said: ` Whether it would take models out cannot be told: ${describeFailure(error).message}` };
  }
}
