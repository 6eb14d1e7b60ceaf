/**
 * The lines of a catalogue file that its problems are about. A problem begins with its place: a line, a path such as
 * `models[0].price`, or the name of a model or provider.
 */
import { isCollection, isNode, LineCounter, parseDocument } from 'yaml';
import type { ListedKeys } from '../../shared/config/provider-keys.ts';
import { type CatalogueReading, readCatalogueFile } from './read-catalogue-file.ts';

export interface LocatedProblem {
  /** Null for a problem of the whole file. */
  readonly line: number | null;
  readonly message: string;
}

type Path = readonly (string | number)[];

interface Place {
  readonly list: 'models' | 'providers';
  readonly id: string;
  readonly rest: Path;
}

export type LocatedReading =
  | Extract<CatalogueReading, { ok: true }>
  | { readonly ok: false; readonly problems: readonly LocatedProblem[] };

/** As `readCatalogueFile`. A megabyte takes seconds. */
export function readLocated(yaml: string, listedKeys: ListedKeys): LocatedReading {
  const reading = readCatalogueFile(yaml, listedKeys);
  return reading.ok ? reading : { ok: false, problems: locateProblems(yaml, reading.problems) };
}

export function locateProblems(yaml: string, problems: readonly string[]): LocatedProblem[] {
  const lines = problems.map(lineNamed);
  // The text is parsed again only if it is YAML, which every problem without a line of its own implies.
  const file = lines.every((line) => line !== undefined) ? undefined : new LocatedFile(yaml);
  return problems.map((message, index) => ({ line: lines[index] ?? file?.lineOf(message) ?? null, message }));
}

/** `line 3: …`, also behind what a parser says first. */
function lineNamed(problem: string): number | undefined {
  const [, line] = /^(?:The file is not YAML: )?line (\d+):/.exec(problem) ?? [];
  return line === undefined ? undefined : Number(line);
}

class LocatedFile {
  readonly #lines = new LineCounter();
  readonly #document;
  /** Of `models` and `providers`: id → the place in the list, the last one for ids that are repeated. */
  readonly #indexes: Readonly<Record<Place['list'], ReadonlyMap<string, number>>>;

  constructor(yaml: string) {
    this.#document = parseDocument(yaml, { lineCounter: this.#lines, uniqueKeys: false, merge: true });
    this.#indexes = { models: this.#indexOf('models'), providers: this.#indexOf('providers') };
  }

  lineOf(problem: string): number | undefined {
    const path = pathNamed(problem) ?? this.#pathOf(placeNamed(problem));
    return path === undefined ? undefined : this.#lineAt(path);
  }

  #pathOf(place: Place | undefined): Path | undefined {
    const index = place && this.#indexes[place.list].get(place.id);
    return place === undefined || index === undefined ? undefined : [place.list, index, ...place.rest];
  }

  /** Of the innermost part of the path that there is: something that is missing has no line. */
  #lineAt(path: Path): number | undefined {
    for (let length = path.length; length > 0; length -= 1) {
      const node = this.#document.getIn(path.slice(0, length), true);
      if (isNode(node) && node.range) return this.#lines.linePos(node.range[0]).line;
    }
    return undefined;
  }

  #indexOf(list: Place['list']): Map<string, number> {
    const items = this.#document.get(list);
    const count = isCollection(items) ? items.items.length : 0;
    const ids = Array.from({ length: count }, (_, index) => [String(this.#document.getIn([list, index, 'id'])), index]);
    return new Map(ids as [string, number][]);
  }
}

/** `models[0].price.prompt: …` and `models[0].price is missing`. */
function pathNamed(problem: string): Path | undefined {
  const [path] = /^(?:models|providers|markup)(?:\[\d+\]|\.\w+)*(?=:| is )/.exec(problem) ?? [];
  return path === undefined ? undefined : stepsOf(path);
}

/** `model a/b: price.prompt is missing`, `provider c is defined more than once`. */
function placeNamed(problem: string): Place | undefined {
  const [, what, id, path = ''] =
    /^(model|provider) (.+?)(?:: (?:(\w+(?:\[\d+\]|\.\w+)*)(?= )|)| is defined more than once)/.exec(problem) ?? [];
  if (id === undefined) return undefined;
  return { list: what === 'model' ? 'models' : 'providers', id, rest: path === '' ? [] : stepsOf(path) };
}

function stepsOf(path: string): Path {
  return [...path.matchAll(/\[(\d+)\]|(\w+)/g)].map(([, index, name = '']) =>
    index === undefined ? name : Number(index),
  );
}
