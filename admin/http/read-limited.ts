/** Reads the response of another server, and gives up once it is larger than expected. */

/** Throws Error if the body has more than `maxBytes`; `whose` begins the message: `the bank's`. */
export async function readLimited(
  response: Response,
  { maxBytes, whose }: { maxBytes: number; whose: string },
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    // Leaving the loop cancels the body, so the rest is not read.
    if (bytes > maxBytes) throw new Error(`${whose} response is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
