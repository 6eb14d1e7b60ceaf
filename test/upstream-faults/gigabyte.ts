/** A response that does not end until a gigabyte of it was read. */

const endBytes = 1024 ** 3;

export class Gigabyte {
  writtenBytes = 0;

  constructor(readonly chunk: Uint8Array<ArrayBuffer>) {}

  response(contentType: string): Response {
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        this.writtenBytes += this.chunk.length;
        if (this.writtenBytes > endBytes) controller.close();
        else controller.enqueue(this.chunk);
      },
    });
    return new Response(body, { headers: { 'content-type': contentType } });
  }
}
