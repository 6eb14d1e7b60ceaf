/** Responses that repeat a chunk as fast as it is read, and end after a gigabyte each. */

const endBytes = 1024 ** 3;

export class Gigabyte {
  /** Of all responses. */
  writtenBytes = 0;

  constructor(readonly chunk: Uint8Array<ArrayBuffer>) {}

  response(contentType: string): Response {
    let leftBytes = endBytes;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        this.writtenBytes += this.chunk.length;
        leftBytes -= this.chunk.length;
        if (leftBytes < 0) controller.close();
        else controller.enqueue(this.chunk);
      },
    });
    return new Response(body, { headers: { 'content-type': contentType } });
  }
}
