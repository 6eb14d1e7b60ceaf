/** Where in a form an error of the API belongs. */
import { ApiError } from '../api/api-error.ts';

/** `fields` maps the API's names to the form's. Undefined if the error is about no field of this form. */
export function fieldOf<Field extends string>(
  error: unknown,
  fields: Readonly<Record<string, Field>>,
): Field | undefined {
  return error instanceof ApiError && error.param !== undefined ? fields[error.param] : undefined;
}
