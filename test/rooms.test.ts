/** The rooms of a program are in an order, and each imports only earlier ones. */
import { expect, test } from 'bun:test';
import { dirname, join, relative } from 'node:path';
import { Glob } from 'bun';

const root = join(import.meta.dir, '..');

/** From the room that imports none to the room that may import all. */
const orders = {
  proxy: ['nouns', 'pricing', 'providers', 'storage', 'request', 'api', 'batches'],
  admin: [
    ...['money', 'config', 'database', 'heavy-work', 'http', 'lots', 'operations', 'catalogue', 'keys', 'mail', 'auth'],
    ...[
      'notifications',
      'ledger',
      'organizations',
      'webhooks',
      'accounts',
      'events',
      'wallets',
      'documents',
      'payments',
      'api',
      'dashboard',
    ],
    ...['workers', 'cli'],
  ],
} as const;
/** Any room may know the type of what it receives. */
const typeOfServices = /^import type \{ AdminServices \} from .*services\.ts';$/m;

/** `from 'x'`, `import 'x'` and `import('x')`. */
const specifiers = /\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g;

interface Import {
  readonly from: string;
  readonly to: string;
}

async function importsIn(program: string): Promise<Import[]> {
  const found: Import[] = [];
  for await (const path of new Glob(`${program}/**/*.ts`).scan({ cwd: root })) {
    const text = (await Bun.file(join(root, path)).text()).replace(typeOfServices, '');
    for (const [, specifier = ''] of text.matchAll(specifiers)) {
      found.push({ from: path, to: relative(root, join(root, dirname(path), specifier)) });
    }
  }
  return found;
}

/** Undefined for a path outside of the rooms: the program's own files, and other programs. */
function roomOf(program: string, path: string): string | undefined {
  const [top, room, ...rest] = path.split('/');
  return top === program && rest.length > 0 ? room : undefined;
}

test.each(Object.entries(orders))('the rooms of %s import only those before them', async (program, order) => {
  const rank = (room: string) => (order as readonly string[]).indexOf(room);
  const imports = await importsIn(program);
  const rooms = new Set(imports.map(({ from }) => roomOf(program, from)).filter((room) => room !== undefined));
  expect([...rooms].sort()).toEqual([...order].sort());
  const upward = imports.filter(({ from, to }) => {
    const [here, there] = [roomOf(program, from), roomOf(program, to)];
    if (here === undefined) return false;
    // A room does not know the program that starts it.
    if (there === undefined) return to.startsWith(`${program}/`);
    return rank(there) > rank(here);
  });
  expect(upward.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
});
