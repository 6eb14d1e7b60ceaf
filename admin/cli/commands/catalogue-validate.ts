/** `gateway catalogue validate`: checks a catalogue file and changes nothing. Needs no configuration. */
import { command } from '../command.ts';
import { countOf } from '../count-of.ts';
import { fileArgument, readCatalogue } from '../read-catalogue.ts';

export const catalogueValidate = command({
  description: 'Check a catalogue file and change nothing',
  args: fileArgument,
  run: async ({ file: path }) => {
    const { models, providers } = await readCatalogue(path);
    return {
      text: `${path} is usable: ${countOf(models.length, 'model')} of ${countOf(providers.length, 'provider')}.`,
      object: { ok: true, models: models.length, providers: providers.length },
    };
  },
});
