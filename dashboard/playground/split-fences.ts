/** Finds the code between ``` fences in a text of a model, also while the text is still arriving. */

export interface Part {
  readonly kind: 'text' | 'code';
  readonly text: string;
  /** Of code: what follows the opening fence, such as `python`. */
  readonly language: string;
}

/** A fence that is not closed yet reaches to the end, so code is code from its first line. */
export function splitFences(text: string): readonly Part[] {
  const parts: Part[] = [];
  const lines: string[] = [];
  let fence: { mark: string; language: string } | undefined;
  const end = () => {
    const content = lines.splice(0).join('\n');
    if (fence !== undefined) parts.push({ kind: 'code', text: content, language: fence.language });
    else if (content.trim() !== '') parts.push({ kind: 'text', text: content.replace(/^\n+|\s+$/g, ''), language: '' });
  };
  for (const line of text.split('\n')) {
    const { mark, info = '' } = /^ {0,3}(?<mark>`{3,}|~{3,})\s*(?<info>[^`]*)$/.exec(line)?.groups ?? {};
    const closes = fence !== undefined && mark?.startsWith(fence.mark) && info.trim() === '';
    if (mark === undefined || (fence !== undefined && !closes)) {
      lines.push(line);
      continue;
    }
    end();
    fence = closes ? undefined : { mark, language: info.trim().split(/\s/)[0] ?? '' };
  }
  end();
  return parts;
}
