/**
 * `gateway catalogue compare`: what a published price list says differently from the current catalogue. Changes nothing. Exit code 0
 * if it says the same, 3 if it does not.
 */
import { counted } from '../../../../shared/counted.ts';
import { noCatalogueYet, readNewestCatalogue } from '../../../catalogue/newest-catalogue.ts';
import {
  compareWithList,
  isDifferent,
  type ListChange,
  type ListComparison,
  largeFactor,
  renderComparison,
} from '../../../catalogue/published-lists/compare-with-list.ts';
import { fetchPublishedList, listMaxBytes } from '../../../catalogue/published-lists/fetch-published-list.ts';
import { readPublishedList } from '../../../catalogue/published-lists/read-published-list.ts';
import { command, type Outcome } from '../../command.ts';
import { DetailedError } from '../../describe-failure.ts';
import { type List, listOf } from '../../list.ts';
import { withDatabase } from '../../with-database.ts';

const namesMax = 20;

export const catalogueCompare = command({
  description: 'Compare the current catalogue with a published price list',
  args: {
    with: {
      type: 'string',
      required: true,
      description: "A file or an https address, in OpenRouter's form (/api/v1/models) or LiteLLM's",
    },
  },
  run: async ({ with: source }) => {
    const list = readPublishedList(await readText(source));
    const newest = await withDatabase(({ db }) => readNewestCatalogue(db));
    if (newest === undefined) throw noCatalogueYet();
    const today = new Date().toISOString().slice(0, 10);
    const comparison = compareWithList(newest.file, list, today);
    const differs = isDifferent(comparison);
    return {
      text: textOf(comparison),
      object: { equal: !differs, version: newest.version, ...renderComparison(comparison) },
      differs,
    };
  },
});

async function readText(source: string): Promise<string> {
  const isAddress = /^https?:\/\//.test(source);
  try {
    if (isAddress) return await fetchPublishedList(source);
    const file = Bun.file(source);
    if (file.size > listMaxBytes) throw new Error(`it is larger than ${listMaxBytes} bytes`);
    return await file.text();
  } catch (error) {
    const code = isAddress ? 'list_unavailable' : 'file_unreadable';
    const reason = error instanceof Error ? error.message : String(error);
    throw new DetailedError(code, `${source} cannot be read: ${reason}`, { param: 'with' });
  }
}

type Row = ListChange & { readonly model: string; readonly entry: string; readonly rule: string };

const columns = {
  MODEL: ({ model }: Row) => model,
  ENTRY: ({ entry, rule }: Row) => (rule === 'deployment' ? entry : `${entry} (${rule})`),
  WHAT: ({ field }: Row) => field,
  CATALOGUE: ({ from, isPrice }: Row) => shown(from, isPrice),
  LIST: ({ to, isPrice }: Row) => shown(to, isPrice),
  NOTE: ({ isLarge }: Row) => (isLarge ? `more than ${largeFactor} times` : ''),
};

function shown(value: string | null, isPrice: boolean): string {
  if (value === null) return '–';
  return isPrice ? `$${value}` : value;
}

function textOf(comparison: ListComparison): Outcome['text'] {
  const { changed, unchanged, added, ambiguous, unlisted, unreadable } = comparison;
  const rows = changed.flatMap(({ model, offer, rule, changes }) =>
    changes.map((change): Row => ({ ...change, model, entry: offer.entry, rule })),
  );
  const table: List[] = rows.length === 0 ? [] : [listOf(rows, { none: '', columns })];
  return [
    ...table,
    `The list says the same about ${counted(unchanged, 'model')} and something else about ${changed.length}.`,
    ...named(added, 'new at providers of the catalogue'),
    ...named(unlisted, 'not in the list'),
    ...ambiguous.map(({ model, entries }) => `Not compared: ${model} may be ${entries.join(' or ')}.`),
    ...named(
      unreadable.map(({ entry, reason }) => `${entry} (${reason})`),
      'unreadable',
    ),
  ];
}

/** Long lists are cut: `--json` has all of them. */
function named(names: readonly string[], what: string): string[] {
  if (names.length === 0) return [];
  const more = names.length - namesMax;
  return [`${names.length} ${what}: ${names.slice(0, namesMax).join(', ')}${more > 0 ? ` and ${more} more` : ''}.`];
}
