/** A count with its noun: `1 request`, `6,000 requests`. */
export function counted(count: number | bigint, singular: string, plural = `${singular}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 || count === 1n ? singular : plural}`;
}
