/** The errors that endpoints have in common, by the step that raises them. */
import type { ErrorCode } from '../../../shared/errors.ts';
import { type ErrorForm, usualErrors } from '../../../shared/openapi/describe-errors.ts';
import { commonExamples } from './error-examples.ts';
import { rateHeadersOf } from './headers.ts';

/** Problems with the body, and with the key as far as it can be checked without the wallet. */
const readErrors: readonly ErrorCode[] = [
  'invalid_json',
  'missing_parameter',
  'invalid_parameter',
  'unsupported_parameter',
  'missing_api_key',
  'invalid_api_key',
  'wrong_key_type',
  'body_too_complex',
  'body_too_large',
  'request_timeout',
  'overloaded',
];

/** Of endpoints that ask the wallet about a key and a model. */
export const walletErrors: readonly ErrorCode[] = [
  ...readErrors,
  'key_expired',
  'key_deactivated',
  'email_not_verified',
  'project_archived',
  'address_not_allowed',
  'model_not_allowed',
  'key_limit_exceeded',
  'budget_exceeded',
  'model_not_found',
  'no_deployment_fits',
  'internal_error',
  'no_healthy_deployment',
  'rate_limit_exceeded',
  'wallet_unavailable',
];

/** Of paid requests that are sent to a provider. */
export const inferenceErrors: readonly ErrorCode[] = [
  ...walletErrors,
  'upstream_rejected_request',
  'answer_too_large',
  'insufficient_balance',
  'balance_reserved',
  'idempotency_in_progress',
  'idempotency_answer_gone',
  'idempotency_key_reused',
  'upstream_error',
  'upstream_timeout',
  'shutting_down',
];

export const usualErrorForm: ErrorForm = { ...usualErrors, examples: commonExamples };
export const inferenceErrorForm: ErrorForm = { ...usualErrorForm, headersOf: rateHeadersOf };
