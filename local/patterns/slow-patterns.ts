/**
 * Finds regular expressions whose time grows faster than the text that they are given, because they backtrack: in the
 * source, as literals, as `new RegExp` and as `pattern` of a schema.
 */
import { ts } from '@ts-morph/common';
import { analyse } from 'scslre';

interface SlowPattern {
  readonly line: number;
  readonly problem: string;
}

interface Pattern {
  /** Undefined if its text is not known here. */
  readonly source: string | undefined;
  readonly flags: string;
}

type Texts = ReadonlyMap<string, string>;

/** Built from more than one text: the paths of the routes, and what names of headers and parameters may look like. */
const reviewed = ['patternOf(path)', /^new RegExp\(`\^\$\{source\}\$`\)$/, 'keys'];
const isReviewed = (text: string) => reviewed.some((one) => (typeof one === 'string' ? one === text : one.test(text)));

export function findSlowPatterns(name: string, text: string): SlowPattern[] {
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const texts = readConstantTexts(file);
  const found: SlowPattern[] = [];
  visit(file, (node) => {
    for (const { source, flags } of patternsOf(node, texts)) {
      const problem = source === undefined ? unreadable(node) : problemOf(source, flags);
      if (problem === undefined) continue;
      found.push({ line: file.getLineAndCharacterOfPosition(node.getStart()).line + 1, problem });
    }
  });
  return found;
}

function visit(node: ts.Node, look: (node: ts.Node) => void): void {
  look(node);
  ts.forEachChild(node, (child) => visit(child, look));
}

/** Of `const name = 'text'`. */
function readConstantTexts(file: ts.SourceFile): Texts {
  const texts = new Map<string, string>();
  visit(file, (node) => {
    if (!ts.isVariableDeclaration(node) || node.initializer === undefined) return;
    const text = textOf(node.initializer, texts);
    if (text !== undefined) texts.set(node.name.getText(), text);
  });
  return texts;
}

function patternsOf(node: ts.Node, texts: Texts): Pattern[] {
  if (ts.isRegularExpressionLiteral(node)) {
    const end = node.text.lastIndexOf('/');
    return [{ source: node.text.slice(1, end), flags: node.text.slice(end + 1) }];
  }
  if (ts.isNewExpression(node) && node.expression.getText() === 'RegExp') {
    const [source, flags] = node.arguments ?? [];
    return [{ source: source && textOf(source, texts), flags: (flags && textOf(flags, texts)) ?? '' }];
  }
  if (ts.isPropertyAssignment(node) && node.name.getText() === 'pattern') {
    if (ts.isRegularExpressionLiteral(node.initializer)) return [];
    return [{ source: textOf(node.initializer, texts), flags: 'u' }];
  }
  return [];
}

/** What a template inserts counts as a word. */
function textOf(node: ts.Node, texts: Texts): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isIdentifier(node)) return texts.get(node.text);
  if (ts.isTemplateExpression(node)) {
    if (isReviewed(node.parent.getText())) return undefined;
    return node.head.text + node.templateSpans.map(({ literal }) => `x${literal.text}`).join('');
  }
  return undefined;
}

function unreadable(node: ts.Node): string | undefined {
  const text = ts.isPropertyAssignment(node) ? node.initializer.getText() : node.getText();
  return isReviewed(text) ? undefined : `${text} cannot be checked: write the pattern out`;
}

function problemOf(source: string, flags: string): string | undefined {
  const { reports } = analyse(new RegExp(source, flags));
  const [first] = reports;
  if (first === undefined) return undefined;
  const growth = reports.some(({ exponential }) => exponential) ? 'exponentially' : 'with the square of its length';
  return `/${source}/${flags} takes time that grows ${growth} in a text of ${first.character.literal.source} characters`;
}
