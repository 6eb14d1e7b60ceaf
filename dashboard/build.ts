/**
 * Builds the dashboard into dashboard/dist: `bun run dashboard:build`. Scripts are split by page, every file but
 * index.html has its content's hash in its name, and each has its gzip and brotli beside it.
 *
 * Invariant: dashboard/dist is replaced as a whole, so admin never serves half a build.
 */
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { Glob } from 'bun';
import { type Language, languages } from '../shared/languages.ts';
import type { PageScripts } from './app/start/page-scripts.ts';
import { findPageScripts, importedBy, scriptOf } from './find-page-scripts.ts';
import { writeLimits } from './generate-limits.ts';
import { readAreas, withoutTexts } from './read-texts.ts';

const folder = import.meta.dir;
const root = dirname(folder);
const distFolder = join(folder, 'dist');
const stampFile = join(distFolder, 'build.json');
/** What the dashboard imports of `shared`. */
const sharedFiles = ['languages.ts', 'members.ts', 'limits/rate-limits.ts', 'limits/spend-limits.ts'].map((name) =>
  join(root, 'shared', name),
);
const assetNames = '[name]-[hash].[ext]';
/** Below this, compression saves less than its header costs. */
const compressedMinBytes = 512;
const compressed = promisify(brotliCompress);

export interface BuildReport {
  /** Bytes of gzipped script that the first page loads. */
  readonly firstScriptBytes: number;
  readonly files: readonly { readonly name: string; readonly bytes: number; readonly gzipBytes: number }[];
}

/** Builds if a source is newer than the build. Returns whether it did. */
export async function buildIfStale(): Promise<boolean> {
  const stamp = Bun.file(stampFile);
  const built = (await stamp.exists()) ? (await stamp.json()).sources : undefined;
  if (built !== (await hashSources())) {
    await build();
    return true;
  }
  // For `npm run check`, where something has removed them.
  await writeLimits();
  return false;
}

export async function build(): Promise<BuildReport> {
  const sources = await hashSources();
  await writeLimits();
  const work = await mkdtemp(join(folder, '.build-'));
  try {
    const assets = join(work, 'assets');
    await mkdir(assets);
    const textFiles = JSON.stringify(await writeTexts(assets));
    const [script, icon] = await Promise.all([
      bundleScripts(assets, textFiles),
      copyHashed(join(folder, 'icon.svg'), assets),
    ]);
    const startScript = await bundleStart(assets, { pages: script.pages, textFiles });
    const style = await bundleStyle(assets, script.classNames);
    const first = [script.entry, ...script.preloads];
    const page = await renderPage({ startScript, style: style.name, icon, font: style.font, scripts: first });
    await Bun.write(join(work, 'index.html'), page);
    const files = await compressAll(work);
    await Bun.write(join(work, 'build.json'), JSON.stringify({ sources }));
    // A temporary folder is its owner's only, and admin may run as another user.
    await chmod(work, 0o755);
    await rm(`${distFolder}.old`, { recursive: true, force: true });
    await rename(distFolder, `${distFolder}.old`).catch(() => {});
    await rename(work, distFolder);
    await rm(`${distFolder}.old`, { recursive: true, force: true });
    const isFirst = (name: string) => [startScript, ...first].includes(basename(name));
    const firstScriptBytes = files.filter(({ name }) => isFirst(name)).reduce((sum, file) => sum + file.gzipBytes, 0);
    return { firstScriptBytes, files };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** What decides about the build: everything in this folder, the packages, and the API's document. */
async function hashSources(): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256');
  const paths = await Array.fromAsync(new Glob('**/*.{ts,tsx,css,html,svg}').scan({ cwd: folder }));
  const sources = paths.filter((path) => !/^(dist|generated|\.build)/.test(path)).map((path) => join(folder, path));
  for (const path of [...sources.sort(), ...sharedFiles, join(root, 'package-lock.json')]) {
    hasher.update(path.slice(root.length)).update(await Bun.file(path).bytes());
  }
  return hasher.digest('hex');
}

/** Throws an error that names everything that is wrong. */
async function bundle(outdir: string, options: Partial<Bun.BuildConfig> & { entrypoints: string[] }) {
  const output = await Bun.build({
    outdir,
    throw: false,
    target: 'browser',
    minify: true,
    publicPath: '/assets/',
    naming: { entry: assetNames, chunk: assetNames, asset: assetNames },
    ...options,
    define: { 'process.env.NODE_ENV': '"production"', ...options.define },
  });
  if (!output.success) throw new Error(output.logs.map(String).join('\n'));
  return output;
}

/** The script at the head of the page, and the worker that it starts. */
async function bundleStart(
  outdir: string,
  { pages, textFiles }: { pages: readonly PageScripts[]; textFiles: string },
): Promise<string> {
  const bundleOne = async (file: string, define: Record<string, string>) =>
    onlyOutput(await bundle(outdir, { entrypoints: [join(folder, file)], format: 'iife', define }));
  const worker = await bundleOne('app/start/warm-up.worker.ts', {});
  return bundleOne('app/start/start.ts', {
    WARM_UP_WORKER: JSON.stringify(`/assets/${worker}`),
    PAGES: JSON.stringify(JSON.stringify(pages)),
    TEXT_FILES: JSON.stringify(textFiles),
  });
}

function onlyOutput({ outputs }: Bun.BuildOutput): string {
  const [output] = outputs;
  if (output === undefined || outputs.length > 1) throw new Error('Expected one file.');
  return basename(output.path);
}

/** The class of a Mantine component, such as `m_77c9d27d`. Its script names it and its stylesheet defines it. */
const mantineClass = /\bm_[0-9a-f]+\b/g;

/**
 * Chromium compiles such a file as a whole, beside the main thread and while it arrives, instead of each function when it is
 * first called. Other browsers see a comment. See “Explicit compile hints” at https://v8.dev/blog.
 */
const compileHint = '//# allFunctionsCalledOnLoad';

interface Scripts {
  readonly entry: string;
  /** What the entry imports, also as its first act. */
  readonly preloads: readonly string[];
  readonly pages: readonly PageScripts[];
  /** The classes of the Mantine components that any script uses. */
  readonly classNames: ReadonlySet<string>;
}

async function bundleScripts(outdir: string, textFiles: string): Promise<Scripts> {
  const { metafile, outputs } = await bundle(outdir, {
    plugins: [withoutTexts],
    define: { TEXT_FILES: JSON.stringify(textFiles) },
    entrypoints: [join(folder, 'app/main.tsx')],
    splitting: true,
    metafile: true,
    banner: compileHint,
  });
  const entry = outputs.find(({ kind }) => kind === 'entry-point');
  if (entry === undefined || metafile === undefined) throw new Error('The bundler made no entry.');
  const [name = '', ...imported] = importedBy(basename(entry.path), metafile);
  const preloads = [...imported, scriptOf(Bun.resolveSync('react-dom/client', folder), metafile)];
  const texts = await Promise.all(outputs.map((output) => output.text()));
  return {
    entry: name,
    preloads,
    pages: await findPageScripts(folder, metafile, new Set([name, ...preloads])),
    classNames: new Set(texts.flatMap((text) => text.match(mantineClass) ?? [])),
  };
}

/** One file for each language; returns their names. */
async function writeTexts(outdir: string): Promise<Record<Language, string>> {
  const areas = await readAreas();
  const write = async (language: Language) => {
    const texts = Object.fromEntries(areas.map((area) => [area.namespace, area[language]]));
    return [language, await writeHashed(`texts-${language}.json`, encode(JSON.stringify(texts)), outdir)];
  };
  return Object.fromEntries(await Promise.all(languages.map(write)));
}

/**
 * All styles make one file, because the bundler loads no stylesheet with a lazy script. They are put together as they are:
 * the bundler would inline the fonts, and spell out every logical property for languages that the dashboard does not have.
 */
async function bundleStyle(outdir: string, classNames: Scripts['classNames']): Promise<{ name: string; font: string }> {
  const first = await Bun.file(join(folder, 'app/style.css')).text();
  const areas = await Array.fromAsync(new Glob('*/*.css').scan({ cwd: folder, absolute: true }));
  const packages = await Promise.all(
    [...first.matchAll(importedStyle)].map(([, name = '']) => readStyle(name, { outdir, classNames })),
  );
  const own = await Promise.all(
    areas
      .filter((path) => !/\/(app|dist)\/[^/]*$/.test(path))
      .sort()
      .map((path) => Bun.file(path).text()),
  );
  const text = [...packages, first.replace(importedStyle, ''), ...own].join('\n');
  const font = /[/("]([\w-]+-latin-wght-normal-\w+\.woff2)/.exec(text)?.[1];
  if (font === undefined) throw new Error('The font for Latin letters is missing.');
  return { name: await writeHashed('style.css', encode(text), outdir), font };
}

const importedStyle = /@import "([^"]+)";\n/g;

/** The stylesheet of a package. Its fonts are copied; of Mantine's components, only those that a script uses are there. */
async function readStyle(
  name: string,
  { outdir, classNames }: { outdir: string; classNames: Scripts['classNames'] },
): Promise<string> {
  const path = Bun.resolveSync(name, folder);
  if (name === '@mantine/core/styles.css') return selectStyles(path, classNames);
  let text = await Bun.file(path).text();
  for (const [, file = ''] of text.matchAll(/url\(([^)]+\.woff2)\)/g)) {
    text = text.replace(file, `/assets/${await copyHashed(join(dirname(path), file), outdir)}`);
  }
  return text;
}

/** Mantine's stylesheet without the components that no script uses: half of it. Their order stays. */
async function selectStyles(path: string, used: Scripts['classNames']): Promise<string> {
  const whole = await Bun.file(path).text();
  const names = await Array.fromAsync(new Glob('styles/*.css').scan({ cwd: dirname(path), absolute: true }));
  const styles = await Promise.all(names.map(async (name) => (await Bun.file(name).text()).trim()));
  return styles
    .map((text) => ({ text, at: whole.indexOf(text), classes: text.match(mantineClass) }))
    .filter(({ at, classes }) => at >= 0 && (classes === null || classes.some((name) => used.has(name))))
    .sort((one, other) => one.at - other.at)
    .map(({ text }) => text)
    .join('\n');
}

const encode = (text: string) => new TextEncoder().encode(text);

const copyHashed = async (path: string, outdir: string) =>
  writeHashed(basename(path), await Bun.file(path).bytes(), outdir);

async function writeHashed(fileName: string, bytes: Uint8Array, outdir: string): Promise<string> {
  const hash = Bun.hash(bytes).toString(36).slice(0, 8);
  const name = fileName.replace(/(\.\w+)$/, `-${hash}$1`);
  await Bun.write(join(outdir, name), bytes);
  return name;
}

interface PageParts {
  readonly startScript: string;
  readonly style: string;
  readonly icon: string;
  readonly font: string;
  /** The entry, then what it imports. */
  readonly scripts: readonly string[];
}

async function renderPage({ startScript, style, icon, font, scripts: [entry = '', ...imported] }: PageParts) {
  const head = [
    `<link rel="icon" href="/assets/${icon}" type="image/svg+xml">`,
    `<script src="/assets/${startScript}"></script>`,
    `<link rel="stylesheet" href="/assets/${style}">`,
    `<link rel="preload" href="/assets/${font}" as="font" type="font/woff2" crossorigin>`,
    ...imported.map((name) => `<link rel="modulepreload" href="/assets/${name}">`),
    `<script type="module" src="/assets/${entry}"></script>`,
  ];
  const template = await Bun.file(join(folder, 'index.html')).text();
  return template.replace('<!-- assets -->', head.join('\n    '));
}

async function compressAll(work: string): Promise<BuildReport['files']> {
  const names = await Array.fromAsync(new Glob('**/*.{js,css,json,svg,html}').scan({ cwd: work }));
  return Promise.all(
    names.sort().map(async (name) => {
      const path = join(work, name);
      const bytes = await Bun.file(path).bytes();
      const gzip = Bun.gzipSync(bytes, { level: 9 });
      if (bytes.length >= compressedMinBytes) {
        const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
        await Bun.write(`${path}.gz`, gzip);
        await Bun.write(`${path}.br`, await compressed(bytes, { params }));
      }
      return { name, bytes: bytes.length, gzipBytes: gzip.length };
    }),
  );
}

if (import.meta.main) {
  const startedAt = performance.now();
  const { firstScriptBytes, files } = await build();
  const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`.padStart(10);
  for (const { name, bytes, gzipBytes } of files)
    console.log(`${kilobytes(bytes)}${kilobytes(gzipBytes)} gzip  ${name}`);
  console.log(`First page: ${kilobytes(firstScriptBytes).trim()} of gzipped script.`);
  console.log(`Built dashboard/dist in ${((performance.now() - startedAt) / 1000).toFixed(1)} s.`);
}
