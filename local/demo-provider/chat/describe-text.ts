/** Says in half a sentence what a text looks like: its length, its form, and the words that stand out. */

const wordsNamed = 3;
const shortestNamed = 5;
/** Enough to describe a text; the rest of a very long one makes no difference. */
const charactersRead = 20_000;

export function describeText(text: string): string {
  const read = text.slice(0, charactersRead);
  const words = read.match(/[\p{L}\p{N}]+/gu) ?? [];
  const parts = [`it has ${counted(words.length, 'word')} and ${counted(sentences(read), 'sentence')}`];
  if (read.includes('```')) parts.push('it contains code');
  if (/[?？]\s*$/u.test(read.trimEnd())) parts.push('it ends with a question');
  const named = standingOut(words);
  if (named.length > 0) parts.push(`the words that stand out are ${named.map((word) => `“${word}”`).join(', ')}`);
  return parts.join('; ');
}

function sentences(text: string): number {
  return Math.max(1, text.match(/[.!?…]+(\s|$)/gu)?.length ?? 0);
}

/** The words that come most often, then the longest; equal ones in the order of the text. */
function standingOut(words: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const word of words) {
    const key = word.toLowerCase();
    if (key.length >= shortestNamed) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts]
    .sort(([a, timesA], [b, timesB]) => timesB - timesA || b.length - a.length)
    .slice(0, wordsNamed)
    .map(([word]) => word.slice(0, 40));
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
