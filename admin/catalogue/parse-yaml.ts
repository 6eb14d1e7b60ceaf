/**
 * Reads YAML without a guess: a key that stands twice in one mapping is a mistake, where most parsers silently take the
 * second and forget the first. The work grows with the text and no faster: the library would compare each key of a
 * mapping with each other one, and go on after what is no YAML, mistake after mistake.
 */
import { Composer, type CST, isMap, isScalar, isSeq, LineCounter, Parser } from 'yaml';

export type YamlReading =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Names every repeated key, and of other mistakes the first: those that follow are mostly its consequences. */
export function parseYaml(text: string): YamlReading {
  const lines = new LineCounter();
  try {
    const tokens = new Parser(lines.addNewLine).parse(text);
    // An empty text is a document as well.
    const [document, second] = new Composer(options).compose(untilError(tokens), true, text.length);
    if (document === undefined) return { ok: false, problems: [notYaml('there is nothing in it')] };
    const [broken] = document.errors;
    const problems = [
      ...(broken === undefined ? [] : [notYaml(`${lineOf(broken.pos[0], lines)}: ${broken.message}`)]),
      ...(broken !== undefined || second === undefined
        ? []
        : [notYaml(`${lineOf(second.range[0], lines)}: there is more than one document in it`)]),
      ...findRepeatedKeys(document.contents).map(
        (offset) => `${lineOf(offset, lines)}: ${keyAt(text, offset)} is given twice in one mapping`,
      ),
    ];
    return problems.length === 0 ? { ok: true, value: document.toJS() } : { ok: false, problems };
  } catch (error) {
    // An alias of nothing, aliases of aliases without end, or lists in lists without end.
    return { ok: false, problems: [notYaml(error instanceof Error ? error.message : String(error))] };
  }
}
const options = {
  prettyErrors: false,
  // Two keys that differ only as YAML's types, `1` and "1", would become one key of the object.
  stringKeys: true,
  merge: true,
  // It compares all with all; findRepeatedKeys is linear.
  uniqueKeys: false,
} as const;

const notYaml = (reason: string) => `The file is not YAML: ${reason}`;

function* untilError(tokens: Iterable<CST.Token>): Iterable<CST.Token> {
  for (const token of tokens) {
    yield token;
    if (token.type === 'error') return;
  }
}

/** Where each key begins that its mapping has had already, in the order of the text. */
function findRepeatedKeys(root: unknown): number[] {
  const offsets: number[] = [];
  // Not `visit` of the library, which copies the path to each node.
  const waiting = [root];
  while (waiting.length > 0) {
    const node = waiting.pop();
    if (isSeq(node)) for (const item of node.items) waiting.push(item);
    if (!isMap(node)) continue;
    const seen = new Set<unknown>();
    for (const { key, value } of node.items) {
      waiting.push(value);
      if (!isScalar(key)) continue;
      if (seen.has(key.value)) offsets.push(key.range?.[0] ?? 0);
      seen.add(key.value);
    }
  }
  return offsets.sort((one, other) => one - other);
}

function lineOf(offset: number, lines: LineCounter): string {
  return `line ${lines.linePos(offset).line}`;
}

/** The key as it is written. */
function keyAt(text: string, offset: number): string {
  return /^[^:\r\n]*/.exec(text.slice(offset))?.[0].trim() ?? '';
}
