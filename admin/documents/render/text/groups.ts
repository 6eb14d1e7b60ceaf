/** Lists of references in portions that fit on a page, however many there are. */

const groupSize = 40;

export function inGroups(items: readonly string[]): string[] {
  const count = Math.ceil(items.length / groupSize);
  return Array.from({ length: count }, (_, index) =>
    items.slice(index * groupSize, (index + 1) * groupSize).join('; '),
  );
}
