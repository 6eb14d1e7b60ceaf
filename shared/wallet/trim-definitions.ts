/**
 * Redis runs the whole text of a script each time: it creates every function again, and its variables. A reserve spent a quarter
 * of its time on that. So definitions that are not used are left out, numbers that never change are written where they are used,
 * and all names are declared at once, the most captured ones last: for each variable that a function captures, Lua looks through
 * those that were declared after it.
 */

interface Definition {
  readonly names: readonly string[];
  readonly code: string;
  readonly words: ReadonlySet<string>;
}

/** Each definition begins with `local`, at the left, and comes after what it uses. The code after them is part of the result. */
export function trimDefinitions(definitions: readonly string[], code: string): string[] {
  const used: Definition[] = [];
  const { filled, rest } = fillConstants(definitions, code);
  const needed = new Set(wordsOf(rest));
  for (const definition of filled.map(readDefinition).toReversed()) {
    if (!definition.names.some((name) => needed.has(name))) continue;
    used.unshift(definition);
    for (const word of definition.words) needed.add(word);
  }
  const captures = (name: string) => used.filter((each) => !each.names.includes(name) && each.words.has(name)).length;
  const counts = new Map(used.flatMap(({ names }) => names).map((name) => [name, captures(name)]));
  const names = [...counts].toSorted(([, one], [, other]) => one - other).map(([name]) => name);
  const declaration = names.length === 0 ? [] : [`local ${names.join(', ')}`];
  return [...declaration, ...used.map((each) => each.code).filter((each) => each !== ''), rest];
}

const constants = /^local ([\w, ]+) = ([\d., ]+)$/;

function fillConstants(definitions: readonly string[], code: string): { filled: string[]; rest: string } {
  const values = new Map<string, string>();
  const filled: string[] = [];
  for (const definition of definitions) {
    const [, names, numbers = ''] = constants.exec(definition.trimEnd()) ?? [];
    if (names === undefined) filled.push(definition);
    else names.split(', ').forEach((name, place) => void values.set(name, numbers.split(', ')[place] ?? ''));
  }
  const anyConstant = new RegExp(`(?<![.\\w])(?:${[...values.keys()].join('|')})(?!\\w)`, 'g');
  const fill = (text: string) =>
    values.size === 0 ? text : text.replaceAll(anyConstant, (name) => values.get(name) ?? name);
  return { filled: filled.map(fill), rest: fill(code) };
}

/** Without `local`: a function, or what its names are set to. */
function readDefinition(statement: string): Definition {
  const code = statement.trimEnd();
  const [, name] = /^local function (\w+)/.exec(code) ?? [];
  if (name !== undefined) return { names: [name], code: code.slice('local '.length), words: wordsOf(code) };
  const [, names = '', value] = /^local ([\w, ]+?)(?: = ([\s\S]*))?$/.exec(code) ?? [];
  const assigned = value === undefined ? '' : `${names} = ${value}`;
  return { names: names.split(', '), code: assigned, words: wordsOf(assigned) };
}

const wordsOf = (code: string): ReadonlySet<string> => new Set(code.match(/\w+/g));
