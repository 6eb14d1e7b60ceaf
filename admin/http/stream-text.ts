/** Text as a response body, produced only as fast as it is read. */

/** The first piece is produced before this resolves, so that an early failure can still become an error response. */
export async function streamText(pieces: AsyncGenerator<string, void>): Promise<ReadableStream<Uint8Array>> {
  const encoder = new TextEncoder();
  let next: IteratorResult<string, void> | undefined = await pieces.next();
  return new ReadableStream({
    pull: async (controller) => {
      const piece = next ?? (await pieces.next());
      next = undefined;
      if (piece.done) controller.close();
      else controller.enqueue(encoder.encode(piece.value));
    },
    cancel: async () => {
      await pieces.return();
    },
  });
}
