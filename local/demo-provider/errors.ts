/** A request that the demo provider refuses, and how it says so in OpenAI's words. */

export class RequestError extends Error {
  override readonly name = 'RequestError';

  constructor(
    message: string,
    readonly details: { status?: number; code?: string; param?: string } = {},
  ) {
    super(message);
  }
}

export function errorResponse(error: unknown): Response {
  if (!(error instanceof RequestError)) {
    console.error(error);
    const message = 'The demo provider failed; its log has the reason.';
    return Response.json({ error: { message, type: 'server_error', param: null, code: null } }, { status: 500 });
  }
  const { status = 400, code = null, param = null } = error.details;
  const body = { error: { message: error.message, type: 'invalid_request_error', param, code } };
  return Response.json(body, { status });
}
