/** `gateway catalogue export`: writes the catalogue in force as a file that `apply` accepts. */
import { exportCatalogue } from '../../../catalogue/export-catalogue.ts';
import { command } from '../../command.ts';
import { withDatabase } from '../../with-database.ts';

export const catalogueExport = command({
  description: 'Write the catalogue in force as YAML',
  args: { file: { type: 'positional', required: false, description: 'Where to write it; printed if omitted' } },
  run: ({ file: path }) =>
    withDatabase(async (database) => {
      const yaml = await exportCatalogue(database);
      if (path === undefined) return { text: yaml.trimEnd(), object: { catalogue: yaml } };
      await Bun.write(path, yaml);
      return { text: `Wrote ${path}.`, object: { file: path } };
    }),
});
