/** By names in lower case. */
export type ResponseHeaders = Pick<Headers, 'get' | 'has'> & Iterable<readonly [name: string, value: string]>;

/** Whether more pieces are wanted. The next one waits for a promise. */
export type TakePiece = (piece: Uint8Array) => boolean | Promise<boolean>;

/** A provider's response: its head, and its body in pieces. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /**
   * Passes on the pieces of the body as they arrive, until the body ends or no more are wanted; another call continues there.
   * Rejects if the response breaks off or is aborted, and with what `take` throws. One call at a time.
   */
  readWhile(take: TakePiece): Promise<void>;
}

export function isSuccess({ status }: HttpResponse): boolean {
  return status >= 200 && status < 300;
}

/** That of `fetch`. */
export function httpResponseOf({ status, headers, body }: Response): HttpResponse {
  const reader = body?.getReader();
  return { status, headers, readWhile: (take) => passOn(async () => (await reader?.read())?.value, take) };
}

/** `next` returns undefined at the end of the body. */
export async function passOn(next: () => Promise<Uint8Array | undefined>, take: TakePiece): Promise<void> {
  for (let piece = await next(); piece !== undefined; piece = await next()) if (!(await take(piece))) return;
}
