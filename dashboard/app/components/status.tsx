/** A state in a word with a dot. The word says it, the colour only helps. */

export type Tone = 'good' | 'warning' | 'bad' | 'neutral';

export function Status({ tone, children }: { tone: Tone; children: string }) {
  return (
    <span className="status">
      <span className={`status-dot status-${tone}`} aria-hidden />
      {children}
    </span>
  );
}
