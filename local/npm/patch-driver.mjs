/**
 * Applies the patch of the Postgres driver to node_modules: in `npm run setup`, and before every `npm start` and
 * `npm test`. It runs before anything is built or installed globally, hence plain Node without `patch` or git. Admin
 * refuses to start on a driver without the patch.
 *
 * Invariant: a file is patched as a whole or not at all, and patching it again changes nothing.
 */
import { existsSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(import.meta.url);
const patchPath = join(dirname(program), 'patches', 'postgres-3.4.9.patch');
const modules = join(dirname(dirname(dirname(program))), 'node_modules');

export function patchDriver() {
  const { version } = JSON.parse(readFileSync(join(modules, 'postgres', 'package.json'), 'utf8'));
  if (!patchPath.endsWith(`-${version}.patch`)) throw new Error(`${patchPath} is not for postgres ${version}.`);
  for (const { name, hunks } of readPatch()) {
    const path = join(modules, name);
    const text = readFileSync(path, 'utf8');
    const patched = hunks.reduce((before, hunk) => applyHunk(before, { ...hunk, name }), text);
    if (patched === text) continue;
    // Renamed into place: a program that starts at this moment reads the old file or the new one.
    const temporary = `${path}.${process.pid}`;
    writeFileSync(temporary, patched);
    renameSync(temporary, path);
  }
}

/** The files of a unified diff, with each hunk's lines before and after. */
function readPatch() {
  const [, ...files] = readFileSync(patchPath, 'utf8').split(/^--- .*\n\+\+\+ /m);
  return files.map((file) => {
    const [name, ...hunks] = file.split(/\n@@ .*/);
    return { name: name.trim(), hunks: hunks.map((hunk) => ({ from: side(hunk, '-'), to: side(hunk, '+') })) };
  });
}

function side(hunk, mark) {
  const lines = hunk.split('\n').filter((line) => line.startsWith(' ') || line.startsWith(mark));
  return lines.map((line) => line.slice(1)).join('\n');
}

function applyHunk(text, { name, from, to }) {
  if (text.split(to).length === 2) return text;
  if (text.split(from).length !== 2) throw new Error(`${name} must contain this exactly once:\n${from}`);
  return text.replace(from, () => to);
}

// When run on its own, the driver may be absent: an install can omit packages.
const [, started] = process.argv;
const isRunByItself = started !== undefined && realpathSync(started) === realpathSync(program);
if (isRunByItself && existsSync(join(modules, 'postgres'))) patchDriver();
