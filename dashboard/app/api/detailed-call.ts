/** For forms that need more of an error than its message: every field that is wrong, and the values in `details`. */
import { call } from './api.ts';
import { ApiError } from './api-error.ts';

export interface Problem {
  readonly param: string;
  readonly message: string;
}

export class DetailedError extends ApiError {
  readonly problems: readonly Problem[];
  readonly details: Readonly<Record<string, unknown>>;

  constructor(error: ApiError, body: unknown) {
    super(error, { cause: error });
    const { errors, details } = Object(Object(body).error);
    this.problems = Array.isArray(errors) ? errors.filter(isProblem) : [];
    this.details = Object(details);
  }
}

/** Like `call`. Throws DetailedError if there was a response, otherwise ApiError. */
export async function callInDetail<Data>(sent: Parameters<typeof call<Data>>[0]): Promise<Data> {
  try {
    return await call(sent);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status === 0) throw error;
    throw new DetailedError(error, (await sent).error);
  }
}

function isProblem(value: unknown): value is Problem {
  const { param, message } = Object(value);
  return typeof param === 'string' && typeof message === 'string';
}
