/** Comparisons of made-up catalogues with price lists that are made of them, in both forms. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { CatalogueFile } from '../../../../admin/catalogue/catalogue-file.ts';
import { renderCatalogueFile } from '../../../../admin/catalogue/newest-catalogue.ts';
import {
  compareWithList,
  fieldOf,
  isDifferent,
  type ListChange,
  type ListComparison,
} from '../../../../admin/catalogue/published-lists/compare-with-list.ts';
import { decreasesAlone } from '../../../../admin/catalogue/published-lists/daily-comparison.ts';
import { type ListForm, listForms } from '../../../../admin/catalogue/published-lists/offer.ts';
import { readPublishedList } from '../../../../admin/catalogue/published-lists/read-published-list.ts';
import { takeOver } from '../../../../admin/catalogue/published-lists/take-over.ts';
import { readCatalogueFile } from '../../../../admin/catalogue/read-catalogue-file.ts';
import { tokenUnits } from '../../../../shared/usage/billable-units.ts';
import { pricedTiers, usualTier } from '../../../../shared/usage/rates.ts';
import { inCampaign } from '../../../harness/campaigns.ts';
import {
  catalogues,
  listTextOf,
  modalityLists,
  perMillion,
  type Statement,
  sayable,
  statementsOf,
} from './made-lists.ts';

const today = '2030-01-01';
const compare = (file: CatalogueFile, text: string): ListComparison =>
  compareWithList(file, readPublishedList(text), today);

const runs = { numRuns: inCampaign(60, 300, 240) };
const notations = fc.integer({ min: 0, max: 5 });

test('made-up catalogues are valid (campaign)', () => {
  fc.assert(
    fc.property(catalogues, (file) => {
      expect(readCatalogueFile(renderCatalogueFile(file), new Set())).toMatchObject({ ok: true });
    }),
    runs,
  );
});

describe.each(listForms)('a list in the form of %s', (form) => {
  test('that is made from the catalogue says nothing differently (campaign)', () => {
    fc.assert(
      fc.property(catalogues, notations, (file, notation) => {
        const comparison = compare(file, listTextOf(form, statementsOf(file), notation));
        expect(comparison).toEqual({
          form,
          changed: [],
          unchanged: file.models.length,
          ...{ added: [], ambiguous: [], unlisted: [], unreadable: [] },
        });
        expect(isDifferent(comparison)).toBe(false);
      }),
      runs,
    );
  });

  test('that differs is found to say exactly that, and nothing once it is taken over (campaign)', () => {
    fc.assert(
      fc.property(catalogues, mutations, notations, (file, drawn, notation) => {
        const { statements, expected } = mutate(form, statementsOf(file), drawn);
        const text = listTextOf(form, statements, notation);
        const comparison = compare(file, text);
        expect(fieldsOf(comparison)).toEqual(expected);
        const taken = takeOver(file, comparison.changed);
        expect(compare(taken, text).changed).toEqual([]);
        expect(otherFields(taken, expected)).toEqual(otherFields(file, expected));
        expect(taken.providers).toEqual(file.providers);
        expect(taken.models.map(({ id }) => id)).toEqual(file.models.map(({ id }) => id));
      }),
      runs,
    );
  });

  test('of which a part is taken over still says the rest (campaign)', () => {
    fc.assert(
      fc.property(catalogues, mutations, fc.array(fc.boolean(), { minLength: 1 }), (file, drawn, choices) => {
        const { statements } = mutate(form, statementsOf(file), drawn);
        const text = listTextOf(form, statements);
        const { changed } = compare(file, text);
        let place = 0;
        const isChosen = () => choices[place++ % choices.length] ?? false;
        const parts = changed.map((difference) => {
          const marked = difference.changes.map((change) => ({ change, chosen: isChosen() }));
          const of = (chosen: boolean) => marked.filter((each) => each.chosen === chosen).map(({ change }) => change);
          return { ...difference, changes: of(true), rest: of(false) };
        });
        const left = compare(takeOver(file, parts), text).changed;
        const rest = parts.filter((part) => part.rest.length > 0).map((part) => [part.model, part.rest] as const);
        expect(left.map(({ model, changes }) => [model, changes] as const)).toEqual(rest);
      }),
      runs,
    );
  });

  test('lowers prices alone where nothing else is asked for, and none of them by much (campaign)', () => {
    fc.assert(
      fc.property(catalogues, mutations, (file, drawn) => {
        const { statements } = mutate(form, statementsOf(file), drawn);
        const comparison = compare(file, listTextOf(form, statements));
        const after = takeOver(file, decreasesAlone(comparison));
        expect(after.models.map(({ price: _, ...model }) => model)).toEqual(
          file.models.map(({ price: _, ...model }) => model),
        );
        const [before, now] = [statementsOf(file), statementsOf(after)];
        for (const [index, { model, prices }] of before.entries()) {
          const isAsked = comparison.changed.some(
            (each) =>
              each.model === model &&
              each.changes.some((change) => change.isPrice && (!change.isDecrease || change.isLarge)),
          );
          for (const [field, price] of prices) {
            const [was, is] = [Number(price), Number(now[index]?.prices.get(field))];
            expect(is).toBeLessThanOrEqual(was);
            expect(is * 3).toBeGreaterThanOrEqual(was * 0.999_999);
            if (isAsked) expect(is).toBe(was);
          }
        }
      }),
      runs,
    );
  });

  test('that states every price it can, taken over whole, makes a valid file that it agrees with (campaign)', () => {
    fc.assert(
      fc.property(catalogues, everyPrice, (file, drawn) => {
        const statements = stateEveryPrice(form, statementsOf(file), drawn);
        const text = listTextOf(form, statements);
        const taken = takeOver(file, compare(file, text).changed);
        expect(readCatalogueFile(renderCatalogueFile(taken), new Set())).toMatchObject({ ok: true });
        expect(compare(taken, text).changed).toEqual([]);
        const [before, now] = [statementsOf(file), statementsOf(taken)];
        for (const [index, statement] of now.entries()) {
          for (const [field, price] of statement.prices) {
            // What the list cannot say stays as it was.
            const expected = (sayable(form, statement, field) ? statements : before)[index]?.prices.get(field);
            expect([field, price]).toEqual([field, expected ?? price]);
          }
        }
      }),
      runs,
    );
  });

  test('that says what audio in the output costs adds that price if chosen, even if text costs the same (campaign)', () => {
    fc.assert(
      fc.property(catalogues, fc.integer({ min: 1, max: 99_000_000 }), (file, drawn) => {
        const price = perMillion(drawn);
        const output = [['completion', price] as const, ['audioCompletion', price] as const];
        const statements = statementsOf(file).map((statement) => {
          const isSilent = statement.kind === 'chat' && !statement.prices.has('audioCompletion');
          const prices = new Map([...statement.prices, ...(isSilent ? output : [])]);
          return { ...statement, prices };
        });
        const text = listTextOf(form, statements);
        const { changed } = compare(file, text);
        const added = changed.flatMap(({ model, changes }) =>
          changes.filter(isOfAudio).map(({ from, to }) => ({ model, from, to })),
        );
        const silent = file.models.filter(isSilentChat).map(({ id: model }) => ({ model, from: null, to: price }));
        expect(added).toEqual(silent);
        const others = changed.map((each) => ({ ...each, changes: each.changes.filter((one) => !isOfAudio(one)) }));
        const taken = takeOver(file, others);
        expect(taken.models.filter(isSilentChat)).toHaveLength(silent.length);
        expect(
          compare(taken, text).changed.map(({ model, changes }) => [model, changes.map(({ field }) => field)]),
        ).toEqual(silent.map(({ model }) => [model, ['audioCompletion']]));
        const whole = takeOver(file, changed);
        expect(whole.models.filter(isSilentChat)).toEqual([]);
        expect(compare(whole, text).changed).toEqual([]);
      }),
      runs,
    );
  });

  test('that has fewer models leaves those of the catalogue as they are (campaign)', () => {
    fc.assert(
      fc.property(catalogues, (file) => {
        const [first, ...others] = statementsOf(file);
        if (first === undefined || others.length === 0) return;
        const comparison = compare(file, listTextOf(form, others));
        expect(comparison.unlisted).toEqual([first.model]);
        expect(isDifferent(comparison)).toBe(false);
      }),
      runs,
    );
  });
});

const isOfAudio = ({ field }: ListChange) => field === 'audioCompletion';
/** Audio cannot be asked for over Anthropic's protocol. */
const isSilentChat = ({ kind, price, deployments }: CatalogueFile['models'][number]) =>
  kind === 'chat' &&
  price.audioCompletion === undefined &&
  deployments.every(({ provider }) => provider !== 'anthropic');

interface Mutation {
  /** Which model and which field, as far as there are so many. */
  readonly at: number;
  readonly field: number;
  readonly millionths: number;
  readonly modalities: number;
}

const mutations: fc.Arbitrary<Mutation[]> = fc.array(
  fc.record({
    at: fc.nat({ max: 4 }),
    field: fc.nat({ max: 40 }),
    millionths: fc.integer({ min: 1, max: 99_000_000 }),
    modalities: fc.nat({ max: 2 }),
  }),
  { minLength: 1, maxLength: 6 },
);

/** Changes what the list says, and says what a comparison has to find, by model and field. */
function mutate(form: ListForm, statements: readonly Statement[], drawn: readonly Mutation[]) {
  const changed = statements.map((statement) => ({
    ...statement,
    prices: new Map(statement.prices),
    facts: new Map(statement.facts),
  }));
  for (const { at, field: place, millionths, modalities } of drawn) {
    const statement = changed[at % changed.length];
    if (statement === undefined) continue;
    const fields = [...statement.prices.keys(), ...statement.facts.keys()].filter((each) =>
      sayable(form, statement, each),
    );
    const field = fields[place % fields.length] ?? '';
    if (statement.prices.has(field)) statement.prices.set(field, perMillion(millionths));
    else statement.facts.set(field, factOf(field, { millionths, modalities }));
  }
  const expected = statements.flatMap(({ model, prices, facts }, index) => {
    const now = changed[index];
    const differing = [...prices, ...facts].filter(
      ([field, value]) => (now?.prices.get(field) ?? now?.facts.get(field)) !== value,
    );
    return differing.map(([field, from]) => ({
      model,
      field,
      from,
      to: now?.prices.get(field) ?? now?.facts.get(field) ?? null,
    }));
  });
  return { statements: changed, expected: expected.sort(byModelAndField) };
}

interface EveryPrice {
  readonly millionths: readonly number[];
  /** In thousands of tokens, in ascending order. */
  readonly bounds: readonly number[];
}

const everyPrice: fc.Arbitrary<EveryPrice> = fc.record({
  millionths: fc.array(fc.integer({ min: 1, max: 9_000_000 }), { minLength: 1 }),
  bounds: fc
    .uniqueArray(fc.integer({ min: 1, max: 900 }), { maxLength: 2 })
    .map((bounds) => bounds.toSorted((one, other) => one - other)),
});

const listedTiers = [usualTier, ...pricedTiers] as const;

/** Says the price of every kind of token, at every rate, also where the model is not charged for it. */
function stateEveryPrice(form: ListForm, statements: readonly Statement[], drawn: EveryPrice): Statement[] {
  let place = 0;
  const next = () => drawn.millionths[place++ % drawn.millionths.length] ?? 1;
  return statements.map((statement) => {
    const bounds = [0, ...boundsOf(form, statement, drawn)];
    const every = listedTiers.flatMap((tier) =>
      tokenUnits.flatMap(({ price }) => {
        let sum = 0;
        return bounds.map((above): [string, string] => {
          // A step must not be cheaper than what is below it.
          sum += next();
          return [fieldOf({ tier, above }, price), perMillion(sum)];
        });
      }),
    );
    return { ...statement, prices: new Map([...statement.prices, ...every]) };
  });
}

/** Steps of its own, or new ones. Where the usual prices have a step, a tier that the list does not have needs one too. */
function boundsOf(form: ListForm, { prices }: Statement, { bounds }: EveryPrice): number[] {
  const own = [...prices.keys()].flatMap((field) => /^>(\d+) prompt$/.exec(field)?.[1] ?? []);
  const hasKeptTier = form === 'openrouter' && prices.has('flex prompt');
  return own.length > 0 || hasKeptTier ? own.map(Number) : bounds.map((bound) => bound * 1_000);
}

function factOf(field: string, { millionths, modalities }: Pick<Mutation, 'millionths' | 'modalities'>): string {
  if (field === 'inputModalities') return (modalityLists[modalities] ?? []).join(', ');
  return field === 'retiresAt' ? `2033-01-0${1 + (millionths % 9)}` : String(millionths);
}

/** What the catalogue says about everything but these. */
function otherFields(file: CatalogueFile, changed: readonly Found[]): string[] {
  const names = new Set(changed.map(({ model, field }) => `${model} ${field}`));
  const fields = statementsOf(file).flatMap(({ model, prices, facts }) =>
    [...prices, ...facts].map(([field, value]) => ({ name: `${model} ${field}`, value })),
  );
  return fields.filter(({ name }) => !names.has(name)).map(({ name, value }) => `${name} ${value}`);
}

interface Found {
  readonly model: string;
  readonly field: string;
}

const byModelAndField = (one: Found, other: Found) =>
  `${one.model} ${one.field}` < `${other.model} ${other.field}` ? -1 : 1;

function fieldsOf({ changed }: ListComparison) {
  const found = changed.flatMap(({ model, changes }) =>
    changes.map(({ field, from, to }: ListChange) => ({ model, field, from, to })),
  );
  return found.sort(byModelAndField);
}
