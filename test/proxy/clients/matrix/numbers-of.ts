/** An embedding's numbers. A client whose caller asks for base64 himself hands it out undecoded, whatever its type says. */
export function numbersOf(embedding: unknown): number[] {
  if (Array.isArray(embedding)) return embedding;
  const bytes = Buffer.from(String(embedding), 'base64');
  return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
}
