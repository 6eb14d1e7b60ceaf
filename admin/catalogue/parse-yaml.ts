/**
 * Parses YAML strictly: a duplicate key is an error, where most parsers silently keep the last one. The work is linear
 * in the length of the text: the library would compare each key of a mapping with every other, and would continue after
 * the first syntax error.
 */
import { Composer, type CST, isMap, isScalar, isSeq, LineCounter, Parser } from 'yaml';

export type YamlReading =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Reports every duplicate key, but only the first syntax error: the others are mostly its consequences. With
 * `isPlainText`, every value is the text as it is written: no number loses its leading zeros or its last digits.
 */
export function parseYaml(text: string, { isPlainText = false } = {}): YamlReading {
  const lines = new LineCounter();
  try {
    const tokens = new Parser(lines.addNewLine).parse(text);
    // An empty text is also a document.
    const [document, second] = new Composer(isPlainText ? { ...options, schema: 'failsafe' } : options).compose(
      untilError(tokens),
      true,
      text.length,
    );
    if (document === undefined) return { ok: false, problems: [notYaml('it is empty')] };
    const [broken] = document.errors;
    const problems = [
      ...(broken === undefined ? [] : [notYaml(`${lineOf(broken.pos[0], lines)}: ${broken.message}`)]),
      ...(broken !== undefined || second === undefined
        ? []
        : [notYaml(`${lineOf(second.range[0], lines)}: a second document begins here`)]),
      ...findRepeatedKeys(document.contents).map(
        (offset) => `${lineOf(offset, lines)}: ${keyAt(text, offset)} appears twice in one mapping`,
      ),
    ];
    return problems.length === 0 ? { ok: true, value: document.toJS() } : { ok: false, problems };
  } catch (error) {
    // An alias without an anchor, exponentially many aliases, or too deeply nested lists.
    return { ok: false, problems: [notYaml(error instanceof Error ? error.message : String(error))] };
  }
}
const options = {
  prettyErrors: false,
  // Keys that differ only in their YAML type, `1` and "1", would become one key of the object.
  stringKeys: true,
  merge: true,
  // It compares every pair of keys; findRepeatedKeys is linear.
  uniqueKeys: false,
} as const;

const notYaml = (reason: string) => `The file is not YAML: ${reason}`;

function* untilError(tokens: Iterable<CST.Token>): Iterable<CST.Token> {
  for (const token of tokens) {
    yield token;
    if (token.type === 'error') return;
  }
}

/** The offsets of the keys that their mapping already has, in the order of the text. */
function findRepeatedKeys(root: unknown): number[] {
  const offsets: number[] = [];
  // Not the library's `visit`, which copies the path to each node.
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
