/** A response that does not end until a gigabyte of it was read. */

const endBytes = 1024 ** 3;

export class Gigabyte {
  writtenBytes = 0;

  constructor(readonly piece: Uint8Array<ArrayBuffer>) {}

  response(contentType: string): Response {
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        this.writtenBytes += this.piece.length;
        if (this.writtenBytes > endBytes) controller.close();
        else controller.enqueue(this.piece);
      },
    });
    return new Response(body, { headers: { 'content-type': contentType } });
  }
}
