/** Which scripts each page needs beside the first, from its `page.ts` and from what the bundler made. */
import { basename, join, relative } from 'node:path';
import { Glob } from 'bun';
import type { PageScripts } from './app/start/page-scripts.ts';

/** Every page.ts has its address and imports its components: `path: '/usage'`, `import('./usage-page.tsx')`. */
const pathOf = /^ {2}path: '([^']+)',$/m;
const componentsOf = /\bimport\('([^']+)'\)/;

export async function findPageScripts(
  folder: string,
  metafile: Bun.BuildMetafile,
  loaded: ReadonlySet<string>,
): Promise<PageScripts[]> {
  const files = await Array.fromAsync(new Glob('**/page.ts').scan({ cwd: folder }));
  return Promise.all(
    files.sort().map(async (file) => {
      const source = await Bun.file(join(folder, file)).text();
      const [, path] = pathOf.exec(source) ?? [];
      const [, components = ''] = componentsOf.exec(source) ?? [];
      if (path === undefined) throw new Error(`${file} has no path.`);
      const script = scriptOf(join(folder, file, '..', components), metafile);
      const scripts = importedBy(script, metafile).filter((name) => !loaded.has(name));
      return { path, isPublic: file.startsWith('sign-in/'), scripts };
    }),
  );
}

/** The script that the bundler made for a file that is imported lazily. */
export function scriptOf(file: string, { outputs }: Bun.BuildMetafile): string {
  const source = relative(process.cwd(), file);
  const output = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === source);
  if (output === undefined) throw new Error(`The bundler made no script for ${source}.`);
  return basename(output[0]);
}

/** A script and what it imports, directly and through others. */
export function importedBy(script: string, { outputs }: Bun.BuildMetafile): string[] {
  const byName = new Map(Object.entries(outputs).map(([path, output]) => [basename(path), output]));
  const reached = new Set([script]);
  for (const name of reached) {
    for (const { path, kind } of byName.get(name)?.imports ?? []) {
      if (kind === 'import-statement' && byName.has(basename(path))) reached.add(basename(path));
    }
  }
  return [...reached];
}
