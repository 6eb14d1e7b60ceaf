/** A text field for a file, with the numbers of its lines. */
import { Textarea } from '@mantine/core';
import { type Ref, useMemo, useRef } from 'react';

/** As in operator.css. */
const lineHeight = 20;

interface YamlFieldProps {
  readonly ref: Ref<HTMLTextAreaElement>;
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

export function YamlField({ ref, label, placeholder, value, onChange }: YamlFieldProps) {
  const gutter = useRef<HTMLPreElement>(null);
  const numbers = useMemo(
    () =>
      value
        .split('\n')
        .map((_, index) => index + 1)
        .join('\n'),
    [value],
  );
  return (
    <div className="operator-yaml">
      <pre ref={gutter} className="operator-yaml-lines" aria-hidden>
        {numbers}
      </pre>
      <Textarea
        ref={ref}
        aria-label={label}
        placeholder={placeholder}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        onScroll={({ currentTarget }) => {
          if (gutter.current !== null) gutter.current.scrollTop = currentTarget.scrollTop;
        }}
        rows={18}
        wrap="off"
        spellCheck={false}
        autoComplete="off"
        variant="unstyled"
        className="operator-yaml-field"
        classNames={{ input: 'operator-yaml-input' }}
      />
    </div>
  );
}

/** Puts the cursor on a line, marks it and shows it. */
export function selectLine(field: HTMLTextAreaElement | null, line: number): void {
  if (field === null) return;
  const lines = field.value.split('\n');
  const start = lines.slice(0, line - 1).reduce((length, before) => length + before.length + 1, 0);
  field.focus();
  field.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
  field.scrollTop = Math.max(0, (line - 5) * lineHeight);
}
