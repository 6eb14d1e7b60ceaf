/**
 * `gateway catalogue validate`: checks a catalogue file and changes nothing. Needs no configuration; with a database
 * it also names the models that the file would remove.
 */
import { counted } from '../../../../shared/counted.ts';
import type { CatalogueFile } from '../../../catalogue/catalogue-file.ts';
import { findRemovedModels } from '../../../catalogue/newest-catalogue.ts';
import { isVariableGiven } from '../../../config/admin.ts';
import { command } from '../../command.ts';
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
    const usable = `${path} is valid: ${counted(models, 'model')} of ${counted(providers, 'provider')}.`;
    const { warning, ...compared } = await compare(file);
    return { text: usable + warning, object: { ok: true, models, providers, ...compared } };
  },
});

interface Comparison {
  /** A sentence for the operator, after a space; empty if there is nothing to report. */
  readonly warning: string;
  /** Absent if it cannot be determined. */
  readonly modelsRemoved?: readonly string[];
}

/** Compared with the current catalogue. An unreachable database does not make the file invalid. */
async function compare(file: CatalogueFile): Promise<Comparison> {
  if (!isVariableGiven('DATABASE_URL')) return { warning: '' };
  try {
    const modelsRemoved = await withDatabase(({ db }) => findRemovedModels(db, file));
    const warning = modelsRemoved.length === 0 ? '' : ` It would remove: ${modelsRemoved.join(', ')}.`;
    return { warning, modelsRemoved };
  } catch (error) {
    return { warning: ` Cannot check whether it would remove models: ${describeFailure(error).message}` };
  }
}
