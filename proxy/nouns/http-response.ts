/** By names in lower case. */
export type ResponseHeaders = Pick<Headers, 'get' | 'has'> & Iterable<readonly [name: string, value: string]>;

/** A provider's response: its head, and its body in pieces. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** The next piece of the body; undefined at its end. Rejects if the response breaks off, or is aborted. One call at a time. */
  read(): Promise<Uint8Array | undefined>;
}

export function isSuccess({ status }: HttpResponse): boolean {
  return status >= 200 && status < 300;
}

/** That of `fetch`. */
export function httpResponseOf({ status, headers, body }: Response): HttpResponse {
  const reader = body?.getReader();
  return { status, headers, read: async () => (await reader?.read())?.value };
}
