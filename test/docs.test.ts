/** The targets of references in the documentation exist. */
import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dir, '..');
const documents = ['README.md', ...new Bun.Glob('{docs,local,bench,test}/**/*.md').scanSync(root)];
const link = /\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g;

/** As GitHub makes the name of a heading's anchor. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

const anchorsIn = (text: string) => [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));

test('every link in the documentation leads to a file, and to a heading in it', async () => {
  const broken: string[] = [];
  let links = 0;
  for (const name of documents) {
    const text = await Bun.file(join(root, name)).text();
    for (const [, path = '', anchor] of text.matchAll(link)) {
      links += 1;
      const target = path === '' ? join(root, name) : join(root, dirname(name), path);
      if (!existsSync(target)) broken.push(`${name}: ${path}`);
      else if (anchor !== undefined && !anchorsIn(await Bun.file(target).text()).includes(anchor)) {
        broken.push(`${name}: ${path}#${anchor}`);
      }
    }
  }
  expect(links).toBeGreaterThan(40);
  expect(broken).toEqual([]);
});

test('every `npm test <path>` in the documentation names existing tests', async () => {
  const missing: string[] = [];
  for (const name of documents) {
    const text = await Bun.file(join(root, name)).text();
    for (const [, paths = ''] of text.matchAll(/npm test ((?:test\/[\w./-]+ ?)+)/g)) {
      for (const path of paths.trim().split(' ')) {
        const found = existsSync(join(root, path)) || existsSync(join(root, `${path}.test.ts`));
        if (!found) missing.push(`${name}: ${path}`);
      }
    }
  }
  expect(missing).toEqual([]);
});
