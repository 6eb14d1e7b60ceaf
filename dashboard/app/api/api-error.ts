/** Why a call to the API failed, as the pages show it. */

export interface ErrorDetails {
  /** 0 if there was no response at all. */
  readonly status: number;
  /** A code of the API; `network` without a response. */
  readonly code: string;
  readonly message: string;
  /** The field of the body that is wrong. */
  readonly param?: string | undefined;
  /** To quote to support. */
  readonly requestId?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly param: string | undefined;
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(details: ErrorDetails, options?: ErrorOptions) {
    super(details.message, options);
    this.status = details.status;
    this.code = details.code;
    this.param = details.param;
    this.requestId = details.requestId;
    this.retryAfterSeconds = details.retryAfterSeconds;
  }

  /** Whether the same call may succeed a moment later. */
  get isTransient(): boolean {
    return this.status === 0 || this.status >= 500;
  }
}

export function networkError(cause: unknown): ApiError {
  return new ApiError({ status: 0, code: 'network', message: 'No connection.' }, { cause });
}

/** Of a response that is no success; its body may be anything, such as a load balancer's page. */
export function errorOfResponse({ status, headers }: Response, body: unknown): ApiError {
  const { message, code, param } = Object(Object(body).error);
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return new ApiError({
    status,
    code: typeof code === 'string' ? code : `http_${status}`,
    message: typeof message === 'string' ? message : `HTTP ${status}`,
    param: typeof param === 'string' ? param : undefined,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: Number.isFinite(seconds) ? seconds : undefined,
  });
}
