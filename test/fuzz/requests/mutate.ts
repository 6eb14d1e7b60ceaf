/** Mutates a valid value at a random place, in one of the ways in which requests go wrong. */
import type { SeededRandom } from '../../harness/seeded-random.ts';
import { jsonText, Literal } from './json-text.ts';
import { names, numbers, otherValues, texts } from './odd-values.ts';

interface Place {
  readonly holder: Record<string, unknown>;
  readonly name: string;
}

const depths = [3, 40, 200, 5_000, 50_000];
const lengths = [0, 2, 5, 130, 2_100, 20_000];
/** No value grows beyond this, so that a run has many requests and not a few large ones. */
const textMax = 1_000_000;

export function oddValue(random: SeededRandom): unknown {
  const kind = random.weighted({ text: 4, number: 4, other: 3 });
  const value = random.pick<unknown>({ text: texts, number: numbers, other: otherValues }[kind]);
  // It may be mutated in turn.
  return value instanceof Literal ? value : structuredClone(value);
}

/** In place, if it is a container. */
export function mutate(value: unknown, random: SeededRandom, times: number): unknown {
  const root: Record<string, unknown> = { value };
  for (let time = 0; time < times; time += 1) {
    mutations[random.weighted(weights)](random.pick(placesIn(root, 'value')), random);
  }
  return root.value;
}

const weights = { replace: 9, remove: 3, add: 2, repeatName: 2, nest: 2, lengthen: 3, retype: 3 };

const mutations: Readonly<Record<keyof typeof weights, (place: Place, random: SeededRandom) => void>> = {
  replace: ({ holder, name }, random) => {
    holder[name] = oddValue(random);
  },
  remove: ({ holder, name }) => {
    if (Array.isArray(holder)) holder.splice(Number(name), 1);
    else delete holder[name];
  },
  add: ({ holder, name }, random) => {
    const [added, value] = [random.pick(names), oddValue(random)];
    const target = isHolder(holder[name]) ? holder[name] : holder;
    // `__proto__` has to become an ordinary member.
    if (!Array.isArray(target))
      Object.defineProperty(target, added, { value, enumerable: true, configurable: true, writable: true });
  },
  repeatName: ({ holder, name }, random) => {
    const other = jsonText(oddValue(random));
    if (!Array.isArray(holder))
      holder[name] = new Literal(`${jsonText(holder[name])},${JSON.stringify(name)}:${other}`);
  },
  nest: ({ holder, name }, random) => {
    const [depth, isList] = [random.pick(depths), random.chance(0.5)];
    const inside = jsonText(holder[name]);
    holder[name] = new Literal(
      isList
        ? `${'['.repeat(depth)}${inside}${']'.repeat(depth)}`
        : `${'{"a":'.repeat(depth)}${inside}${'}'.repeat(depth)}`,
    );
  },
  lengthen: ({ holder, name }, random) => {
    const value = holder[name];
    const items = Array.isArray(value) && value.length > 0 ? value : [value];
    const text = items.map(jsonText).join(',');
    const count = Math.min(random.pick(lengths), Math.ceil(textMax / (text.length + 1)));
    holder[name] =
      typeof value === 'string' ? value.repeat(count) : new Literal(`[${Array(count).fill(text).join(',')}]`);
  },
  retype: ({ holder, name }) => {
    const value = holder[name];
    if (typeof value === 'string') holder[name] = Number.isFinite(Number(value)) ? Number(value) : [value];
    else if (typeof value === 'number' || typeof value === 'boolean') holder[name] = String(value);
    else if (Array.isArray(value)) holder[name] = Object.fromEntries(Object.entries(value));
    else holder[name] = [value];
  },
};

/** The value itself, and every value inside. */
function placesIn(holder: Record<string, unknown>, name: string): Place[] {
  const value = holder[name];
  const inside = isHolder(value) ? Object.keys(value).flatMap((inner) => placesIn(value, inner)) : [];
  return [{ holder, name }, ...inside];
}

function isHolder(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !(value instanceof Literal);
}
