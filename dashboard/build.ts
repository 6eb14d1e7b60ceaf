/**
 * Builds the dashboard into dashboard/dist: `bun run dashboard:build`. Scripts are split by page, every file but
 * index.html has its content's hash in its name, and each has its gzip and brotli beside it.
 *
 * Invariant: dashboard/dist is replaced as a whole, so admin never serves half a build.
 */
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { type BunPlugin, Glob } from 'bun';
import { writeApiTypes } from './generate-api-types.ts';

const folder = import.meta.dir;
const root = dirname(folder);
const distFolder = join(folder, 'dist');
const stampFile = join(distFolder, 'build.json');
const assetNames = '[name]-[hash].[ext]';
/** Below this, compression saves less than its header costs. */
const compressedMinBytes = 512;

export interface BuildReport {
  /** Bytes of gzipped script that the first page loads. */
  readonly firstScriptBytes: number;
  readonly files: readonly { readonly name: string; readonly bytes: number; readonly gzipBytes: number }[];
}

/** Builds if a source is newer than the build. Returns whether it did. */
export async function buildIfStale(): Promise<boolean> {
  const stamp = Bun.file(stampFile);
  const built = (await stamp.exists()) ? (await stamp.json()).sources : undefined;
  if (built === (await hashSources())) return false;
  await build();
  return true;
}

export async function build(): Promise<BuildReport> {
  const sources = await hashSources();
  await writeApiTypes();
  const work = await mkdtemp(join(folder, '.build-'));
  try {
    const assets = join(work, 'assets');
    await mkdir(assets);
    const [script, startScript, style, icon] = await Promise.all([
      bundleScripts(assets),
      bundle(assets, { entrypoints: [join(folder, 'app/start.ts')], format: 'iife' }).then(onlyOutput),
      bundleStyle(assets),
      copyHashed(join(folder, 'icon.svg'), assets),
    ]);
    const first = [script.entry, ...script.preloads];
    const page = await renderPage({ startScript, style: style.name, icon, font: style.font, scripts: first });
    await Bun.write(join(work, 'index.html'), page);
    const files = await compressAll(work);
    await Bun.write(join(work, 'build.json'), JSON.stringify({ sources }));
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
  for (const path of [...sources.sort(), join(root, 'package-lock.json')]) {
    hasher.update(path.slice(root.length)).update(await Bun.file(path).bytes());
  }
  return hasher.digest('hex');
}

async function bundle(outdir: string, options: Partial<Bun.BuildConfig> & { entrypoints: string[] }) {
  return Bun.build({
    outdir,
    target: 'browser',
    minify: true,
    publicPath: '/assets/',
    naming: { entry: assetNames, chunk: assetNames, asset: assetNames },
    define: { 'process.env.NODE_ENV': '"production"' },
    ...options,
  });
}

function onlyOutput({ outputs }: Bun.BuildOutput): string {
  const [output] = outputs;
  if (output === undefined || outputs.length > 1) throw new Error('Expected one file.');
  return basename(output.path);
}

async function bundleScripts(outdir: string): Promise<{ entry: string; preloads: string[] }> {
  const { metafile, outputs } = await bundle(outdir, {
    entrypoints: [join(folder, 'app/main.tsx')],
    splitting: true,
    metafile: true,
  });
  const entry = outputs.find(({ kind }) => kind === 'entry-point');
  if (entry === undefined || metafile === undefined) throw new Error('The bundler made no entry.');
  const byName = new Map(Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]));
  const reached = new Set([basename(entry.path)]);
  for (const name of reached) {
    for (const { path, kind } of byName.get(name)?.imports ?? []) {
      if (kind === 'import-statement' && byName.has(basename(path))) reached.add(basename(path));
    }
  }
  const [name = '', ...preloads] = reached;
  return { entry: name, preloads };
}

/**
 * All styles make one file, because the bundler loads no stylesheet with a lazy script. Fonts are copied as they are:
 * the bundler would inline them.
 */
async function bundleStyle(outdir: string): Promise<{ name: string; font: string }> {
  const paths = await Array.fromAsync(new Glob('*/*.css').scan({ cwd: folder, absolute: true }));
  const areas = paths.filter((path) => !/\/(app|dist)\/[^/]*$/.test(path)).sort();
  const entry = join(outdir, 'style.css');
  const first = join(folder, 'app/style.css');
  await Bun.write(entry, [first, ...areas].map((path) => `@import '${path}';\n`).join(''));
  const fonts: string[] = [];
  const fontFiles: BunPlugin = {
    name: 'font-files',
    setup(builder) {
      builder.onResolve({ filter: /\.woff2$/ }, async ({ path, importer }) => {
        const name = await copyHashed(join(dirname(importer), path), outdir);
        fonts.push(name);
        return { path: `/assets/${name}`, external: true };
      });
    },
  };
  const name = onlyOutput(await bundle(outdir, { entrypoints: [entry], plugins: [fontFiles] }));
  await rm(entry);
  const font = fonts.find((file) => /-latin-wght-normal/.test(file));
  if (font === undefined) throw new Error('The font for Latin letters is missing.');
  return { name, font };
}

async function copyHashed(path: string, outdir: string): Promise<string> {
  const bytes = await Bun.file(path).bytes();
  const hash = Bun.hash(bytes).toString(36).slice(0, 8);
  const name = basename(path).replace(/(\.\w+)$/, `-${hash}$1`);
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
  const names = await Array.fromAsync(new Glob('**/*.{js,css,svg,html}').scan({ cwd: work }));
  return Promise.all(
    names.sort().map(async (name) => {
      const path = join(work, name);
      const bytes = await Bun.file(path).bytes();
      const gzip = Bun.gzipSync(bytes, { level: 9 });
      if (bytes.length >= compressedMinBytes) {
        const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
        await Bun.write(`${path}.gz`, gzip);
        await Bun.write(`${path}.br`, brotliCompressSync(bytes, { params }));
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
