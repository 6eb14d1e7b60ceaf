/**
 * The registry of every error that a caller can receive, and the class that carries one.
 *
 * One shape everywhere: `{"error": {"message", "type", "code", "param"}}`. A code never changes its
 * status or type; the message is for people and may. Internal causes stay in `cause` and never reach a caller.
 */

import { spendLimits } from './limits/spend-limits.ts';

interface ErrorKind {
  readonly status: number;
  readonly type: string;
  readonly meaning: string;
}

const request = (status: number, meaning: string): ErrorKind => ({ status, type: 'invalid_request_error', meaning });
const authentication = (meaning: string): ErrorKind => ({ status: 401, type: 'authentication_error', meaning });
const permission = (meaning: string): ErrorKind => ({ status: 403, type: 'permission_error', meaning });
const billing = (meaning: string): ErrorKind => ({ status: 403, type: 'billing_error', meaning });
const rate = (meaning: string): ErrorKind => ({ status: 429, type: 'rate_limit_error', meaning });
const upstream = (status: number, meaning: string): ErrorKind => ({ status, type: 'upstream_error', meaning });
const unavailable = (meaning: string): ErrorKind => ({ status: 503, type: 'service_unavailable_error', meaning });

const anySpendLimit = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(
  spendLimits.map(({ adjective }) => adjective),
);

export const errorRegistry = {
  invalid_json: request(400, 'The body is not a JSON object.'),
  invalid_form: request(400, 'The body is not `multipart/form-data`, or is malformed.'),
  body_too_complex: request(400, 'The body has too many members, values or levels of nesting.'),
  invalid_parameter: request(400, '`param` has the wrong type or is out of range.'),
  missing_parameter: request(400, '`param` is required.'),
  unsupported_parameter: request(400, '`param` is not supported: the model does not accept it, or it has no price.'),
  invalid_link: request(400, 'The mailed link is unknown, used or expired; ask for a new one.'),
  invitation_expired: request(400, 'The invitation is unknown, used, revoked or expired; ask for a new one.'),
  challenge_expired: request(
    400,
    'The challenge is unknown, answered or expired, or had too many wrong codes; begin again.',
  ),
  invalid_notification: request(400, 'The notification is not from the payment provider, or is malformed.'),
  invalid_catalogue: request(400, 'The catalogue is invalid; `errors` lists every problem.'),
  invalid_price_list: request(
    400,
    "The price list cannot be read; it is neither in OpenRouter's form nor in LiteLLM's.",
  ),
  invalid_bank_statement: request(400, 'The bank statement cannot be read; `errors` lists the problems by line.'),
  answer_too_large: request(
    400,
    'The response is larger than 64 MiB; it was charged. Ask for less output, or stream it.',
  ),
  upstream_rejected_request: request(400, 'The provider rejected the request as malformed; its message is passed on.'),

  missing_api_key: authentication('There is no `Authorization: Bearer …` header.'),
  invalid_api_key: authentication('The key is malformed, unknown or deleted.'),
  key_expired: authentication('The key is past its `expires_at`.'),
  invalid_token: authentication('The access token is malformed, expired or revoked.'),
  invalid_credentials: authentication('E-mail and password do not match.'),
  second_factor_required: authentication(
    'The password was right, and the user has a second factor; `details.challenge` is what to answer with it.',
  ),
  sign_in_failed: authentication('The identity provider did not sign the person in; the message says why.'),
  invalid_second_factor: authentication('The code or the passkey is wrong, or was used before.'),

  key_deactivated: permission('The key is deactivated; it can be activated again.'),
  project_archived: permission('The project of the key is archived; restore it, or move the key to another project.'),
  email_not_verified: permission(
    "The account's e-mail address is not verified; follow the mailed link, then activate the key again.",
  ),
  wrong_key_type: permission(
    'The endpoint needs another kind of key: `ms-` for /v1, `mk-` for /api/keys, an access token for the rest.',
  ),
  address_not_allowed: permission(
    'The request comes from an address that is not among those that the key or its organization allows, or is unknown.',
  ),
  model_not_allowed: permission('This key may not use this model.'),
  account_blocked: permission('An operator has blocked the account; its keys and log-ins do not work.'),
  access_denied: permission('The caller is not allowed to do this.'),
  role_required: permission(
    'The role of the caller in the organization does not include this; the message names those that do.',
  ),
  confirmation_required: permission('The session must be confirmed first, with POST /api/profile/confirm.'),
  sign_in_rule: permission(
    'The organization requires a second factor, or signing in with its identity provider; the message says what to do.',
  ),
  other_organization: permission(
    'The session began with the identity provider of an organization, and is only for that one; log in with the password.',
  ),
  other_address: permission('The invitation is for another e-mail address than that of the caller.'),
  cross_origin: permission(
    'A browser sent the request from a page of another origin, or without the type `application/json`.',
  ),
  wrong_password: permission('The current password is wrong.'),
  registration_closed: permission('Sign-up is closed on this gateway.'),

  insufficient_balance: billing('The balance does not cover the maximum cost of the request.'),
  key_limit_exceeded: billing(`The maximum cost of the request exceeds the key's ${anySpendLimit} spending limit.`),
  budget_exceeded: billing(
    'The maximum cost of the request exceeds a budget of the member, the project or the organization; see Retry-After.',
  ),
  balance_reserved: billing(
    'The balance is sufficient, but part of it is reserved by requests in flight; retry when they end.',
  ),

  cards_stopped: billing('A card payment of the account was disputed, so it can no longer top up by card.'),

  not_found: request(404, 'No such endpoint or resource.'),
  files_unavailable: request(404, 'No storage for files is configured, so there are no files and no batches.'),
  no_deployment_fits: request(
    404,
    'No provider of the model meets what the request, its key or its organization demands; the message lists each demand.',
  ),
  model_not_found: request(404, 'No such model; GET /v1/models lists all models.'),
  method_not_allowed: request(405, 'The path exists, but not with this method.'),
  request_timeout: request(408, 'The body took too long to arrive.'),
  email_taken: request(409, 'The e-mail address already has an account.'),
  address_exists: request(409, 'This e-mail address already receives alerts.'),
  authenticator_exists: request(409, 'The user has an authenticator app already; remove it to set up another one.'),
  passkey_exists: request(409, 'The passkey was added before, by the same user or by another.'),
  domain_unproven: request(409, 'DNS has no TXT record that shows that the organization controls the domain.'),
  domain_taken: request(409, 'Another organization has proven the domain.'),
  identity_provider_untested: request(
    409,
    'The organization has no identity provider that someone has signed in with.',
  ),
  second_factor_missing: request(409, 'The user has no second factor.'),
  balance_left: request(409, 'The account has a balance; deleting it means forfeiting the amount in `details`.'),
  price_not_confirmed: request(409, 'A price that differs by so much has to be confirmed on its own.'),
  batch_ended: request(409, 'The batch has ended, so it cannot be cancelled.'),
  file_in_use: request(409, 'The file is the input of a batch that has not ended; cancel the batch, or wait.'),
  catalogue_changed: request(409, 'The current version of the catalogue is not the expected one.'),
  last_owner: request(409, 'The last owner of an organization can neither leave nor lose the role.'),
  project_exists: request(409, 'The organization has a project of that name already.'),
  budget_exists: request(409, 'There is a budget for this scope and period already.'),
  webhook_inactive: request(409, 'The webhook endpoint is inactive; activate it before a delivery is sent again.'),
  already_member: request(409, 'The person is already a member of the organization.'),
  last_operator: request(409, 'The last operator cannot be removed.'),
  payment_state: request(409, 'The payment is in a state that does not allow this.'),
  payment_reference_used: request(409, 'This bank reference already confirms another payment.'),
  idempotency_in_progress: request(409, 'A request with this Idempotency-Key is still in progress.'),
  mail_not_resendable: request(409, 'Only a failed mail can be sent again, and only while its link is valid.'),
  idempotency_answer_gone: request(409, 'This request was completed and charged; its response is no longer stored.'),
  body_too_large: request(
    413,
    'The body is larger than the endpoint allows: MAX_BODY_BYTES for inference, 256 KiB for the account API.',
  ),
  idempotency_key_reused: request(422, 'This Idempotency-Key was used with a different body.'),
  too_many_keys: request(422, 'The account has reached the maximum number of keys.'),
  too_many_organizations: request(422, 'The user owns as many organizations as one person can.'),
  too_many_passkeys: request(422, 'The user has reached the maximum number of passkeys.'),
  too_many_projects: request(422, 'The organization has reached the maximum number of projects.'),
  too_many_batches: request(422, 'The organization has as many batches that have not ended as it may.'),
  too_many_files: request(422, 'The organization stores as many files, or as many bytes, as it may; delete some.'),
  too_many_webhooks: request(422, 'The organization has reached the maximum number of webhook endpoints.'),
  too_many_addresses: request(422, 'The account has reached the maximum number of additional alert addresses.'),
  too_many_payments: request(422, 'The account has reached the maximum number of unpaid orders.'),
  documents_unavailable: request(409, 'The gateway issues no accounting documents: no seller is configured.'),
  document_corrected: request(409, 'The document has already been corrected; correct the newer one.'),
  nothing_to_document: request(422, 'The period has no paid usage to document.'),
  company_details_missing: request(422, 'The document needs company details that are missing; `errors` names them.'),
  auto_top_up_consent: request(422, 'Automatic top-ups require consent to the current text.'),
  auto_top_up_off: request(422, 'A card is saved only for automatic top-ups, which are off for this method.'),
  refund_too_large: request(422, 'The refund exceeds the unused part of the payment, or the balance.'),
  wallet_limit: request(422, 'The wallet would exceed its limit of $9,000,000.'),

  rate_limit_exceeded: rate(
    'Too many concurrent requests, or too many requests or tokens per minute; see Retry-After.',
  ),
  too_many_attempts: rate('Too many attempts to log in, sign up, request a mail or test a webhook; see Retry-After.'),

  internal_error: { status: 500, type: 'server_error', meaning: 'An internal error, logged under the request id.' },
  replica_lost: {
    status: 502,
    type: 'server_error',
    meaning: 'The replica that handled the request ended before it responded; generated output is charged.',
  },
  replica_timeout: {
    status: 504,
    type: 'server_error',
    meaning: 'The replica that handled the request did not respond in time; generated output is charged.',
  },
  upstream_error: upstream(502, 'The provider failed; nothing was charged if no output was delivered.'),
  upstream_timeout: upstream(502, 'The provider did not respond in time.'),
  no_healthy_deployment: unavailable('No deployment of the model is currently available.'),
  wallet_unavailable: unavailable('The wallet is currently unavailable; nothing was charged.'),
  payment_provider_unavailable: unavailable('The payment provider cannot be reached; repeat with the same key.'),
  price_list_unavailable: unavailable('The published price list cannot be fetched now.'),
  identity_provider_unavailable: unavailable(
    'The identity provider cannot be reached, or is not the issuer it is said to be.',
  ),
  database_unavailable: unavailable('The database of the account API is currently unavailable; see Retry-After.'),
  overloaded: unavailable('The gateway is overloaded; see Retry-After.'),
  archive_unavailable: unavailable(
    'Charges of that time are archived, and the archive cannot be read now; see Retry-After.',
  ),
  storage_unavailable: unavailable(
    'The storage of files is currently unavailable; nothing was stored. See Retry-After.',
  ),
  no_replica: unavailable('The load balancer cannot reach a replica; nothing was charged. See Retry-After.'),
  shutting_down: unavailable('This replica is shutting down; retry, and another replica takes the request.'),
} satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof errorRegistry;

/** One of several invalid parameters. */
export interface FieldProblem {
  readonly param: string;
  readonly code: ErrorCode;
  readonly message: string;
}

export interface ErrorOptions {
  /** The path of the invalid request parameter: `messages[0].role`. */
  readonly param?: string;
  /** Every invalid parameter, if all of them were checked. */
  readonly problems?: readonly FieldProblem[];
  readonly retryAfterSeconds?: number;
  /** Only what requests in flight hold is missing: once they have ended, the request may succeed. */
  readonly isReserved?: boolean;
  /** What a program needs to know of the error besides its code; amounts are decimal strings. */
  readonly details?: Readonly<Record<string, string>> | undefined;
  /** Kept for the log, never shown. */
  readonly cause?: unknown;
}

/** An error returned to the caller. `message` is public. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly param: string | null;
  readonly problems: readonly FieldProblem[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly isReserved: boolean;
  readonly details: ErrorOptions['details'];

  constructor(
    readonly code: ErrorCode,
    message: string,
    options: ErrorOptions = {},
  ) {
    super(message, { cause: options.cause });
    this.param = options.param ?? null;
    this.problems = options.problems;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.isReserved = options.isReserved ?? false;
    this.details = options.details;
  }

  get status(): number {
    return errorRegistry[this.code].status;
  }

  get type(): string {
    return errorRegistry[this.code].type;
  }
}

export interface ErrorBody {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly code: string;
    readonly param: string | null;
    readonly errors?: readonly FieldProblem[];
    readonly details?: Readonly<Record<string, string>>;
  };
}

export function errorBody(error: GatewayError): ErrorBody {
  const { message, type, code, param, problems, details } = error;
  return { error: { message, type, code, param, ...(problems && { errors: problems }), ...(details && { details }) } };
}
