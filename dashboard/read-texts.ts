/** The texts of all areas, which the build takes out of the scripts: a visitor receives those of one language. */
import { Glob } from 'bun';
import type { DefinedTexts } from './app/i18n/define-texts.ts';

/** Every area's texts are in a file of their own; `define-texts.ts` and `use-texts.ts` have none. */
const isTextFile = /(?<!\/(?:define|use))-texts\.ts$/;

export async function readAreas(): Promise<DefinedTexts[]> {
  const paths = await Array.fromAsync(new Glob('*/**/*-texts.ts').scan({ cwd: import.meta.dir, absolute: true }));
  const modules = await Promise.all(
    paths
      .filter((path) => isTextFile.test(path))
      .sort()
      .map(readModule),
  );
  return modules.flatMap((module) => Object.values(module));
}

const readModule = (path: string): Promise<Record<string, DefinedTexts>> => import(path);

/** Of the texts, scripts have only the namespaces. */
export const withoutTexts: Bun.BunPlugin = {
  name: 'without texts',
  setup: (build) => {
    build.onLoad({ filter: isTextFile }, async ({ path }) => {
      const areas = Object.entries(await readModule(path));
      const lines = areas.map(([name, { namespace }]) => `export const ${name} = ${JSON.stringify({ namespace })};`);
      return { contents: lines.join('\n'), loader: 'js' };
    });
  },
};
