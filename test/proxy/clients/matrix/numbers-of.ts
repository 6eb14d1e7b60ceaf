/** An embedding's numbers. If the caller requests base64, clients return it undecoded, whatever their type says. */
export function numbersOf(embedding: unknown): number[] {
  if (Array.isArray(embedding)) return embedding;
  const bytes = Buffer.from(String(embedding), 'base64');
  return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
}
