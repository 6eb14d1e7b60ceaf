/** Finds the code between ``` fences in a text of a model, also while the text is still arriving. */

export interface Part {
  readonly kind: 'text' | 'code';
  readonly text: string;
  /** Of code: what follows the opening fence, such as `python`. */
  readonly language: string;
  /** The line that it begins at. It stays the same while more text arrives. */
  readonly line: number;
}

/** A fence that is not closed yet reaches to the end, so code is code from its first line. */
export function splitFences(text: string): readonly Part[] {
  const parts: Part[] = [];
  const lines: string[] = [];
  let fence: { mark: string; language: string } | undefined;
  let begin = 0;
  const end = () => {
    const content = lines.splice(0).join('\n');
    if (fence !== undefined) parts.push({ kind: 'code', text: content, language: fence.language, line: begin });
    else if (content.trim() !== '')
      parts.push({ kind: 'text', text: content.replace(/^\n+|\s+$/g, ''), language: '', line: begin });
  };
  for (const [index, line] of text.split('\n').entries()) {
    const { mark, info = '' } = /^ {0,3}(?<mark>`{3,}|~{3,})\s*(?<info>[^`]*)$/.exec(line)?.groups ?? {};
    const closes = fence !== undefined && mark?.startsWith(fence.mark) && info.trim() === '';
    if (mark === undefined || (fence !== undefined && !closes)) {
      lines.push(line);
      continue;
    }
    end();
    begin = index + 1;
    fence = closes ? undefined : { mark, language: info.trim().split(/\s/)[0] ?? '' };
  }
  end();
  return parts;
}
