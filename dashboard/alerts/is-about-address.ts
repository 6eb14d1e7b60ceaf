/** Whether an error belongs to the field of a further address. */
import { ApiError } from '../app/api/api-error.ts';

const codes = ['address_exists', 'too_many_addresses', 'email_not_verified', 'invalid_parameter'];

export const isAboutAddress = (error: unknown): boolean => error instanceof ApiError && codes.includes(error.code);
