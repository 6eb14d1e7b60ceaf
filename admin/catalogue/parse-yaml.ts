/**
 * Reads YAML without a guess: a key that stands twice in one mapping is a mistake, where most parsers silently take the
 * second and forget the first.
 */
import { LineCounter, parseDocument, type YAMLError } from 'yaml';

export type YamlReading =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Names every repeated key, and of other mistakes the first: those that follow are mostly its consequences. */
export function parseYaml(text: string): YamlReading {
  const lines = new LineCounter();
  try {
    const document = parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      // Two keys that differ only as YAML's types, `1` and "1", would become one key of the object.
      stringKeys: true,
      merge: true,
    });
    const repeated = document.errors.filter(({ code }) => code === 'DUPLICATE_KEY');
    const [broken] = document.errors.filter(({ code }) => code !== 'DUPLICATE_KEY');
    const problems = [
      ...(broken === undefined ? [] : [notYaml(`${placeOf(broken, lines)}: ${describe(broken)}`)]),
      ...repeated.map((error) => `${placeOf(error, lines)}: ${keyAt(text, error)} is given twice in one mapping`),
    ];
    return problems.length === 0 ? { ok: true, value: document.toJS() } : { ok: false, problems };
  } catch (error) {
    // An alias of nothing, aliases of aliases without end, or lists in lists without end.
    return { ok: false, problems: [notYaml(error instanceof Error ? error.message : String(error))] };
  }
}

const notYaml = (reason: string) => `The file is not YAML: ${reason}`;

function placeOf({ pos: [start] }: YAMLError, lines: LineCounter): string {
  return `line ${lines.linePos(start).line}`;
}

/** The library tells programmers which other function to call. */
function describe({ code, message }: YAMLError): string {
  return code === 'MULTIPLE_DOCS' ? 'there is more than one document in it' : message;
}

/** The key as it is written. */
function keyAt(text: string, { pos: [start] }: YAMLError): string {
  return /^[^:\r\n]*/.exec(text.slice(start))?.[0].trim() ?? '';
}
