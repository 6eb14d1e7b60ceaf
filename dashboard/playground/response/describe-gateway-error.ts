/** An error of /v1 in words that a person can act on. */
import { ApiError } from '../../app/api/api-error.ts';
import type { ErrorText } from '../../app/errors/describe-error.ts';
import type { Translate } from '../../app/i18n/define-texts.ts';
import type { gatewayErrorTexts } from './gateway-error-texts.ts';

export interface GatewayErrorText {
  readonly title: string;
  readonly text: string;
  /** What the gateway or the provider said, in English, if that tells more. */
  readonly detail: string | undefined;
  readonly remedy: Remedy;
}

type Remedy = 'retry' | 'newKey' | 'topUp' | 'profile' | 'none';
type Key = NonNullable<(typeof gatewayErrorTexts)['key']>;
type Known = readonly [title: Key, text: Key, remedy: Remedy];

const byCode: Readonly<Record<string, Known>> = {
  network: ['networkTitle', 'networkText', 'retry'],
  stream_broken: ['brokenTitle', 'brokenText', 'retry'],
  replica_lost: ['brokenTitle', 'brokenText', 'retry'],
  replica_timeout: ['brokenTitle', 'brokenText', 'retry'],
  insufficient_balance: ['balanceTitle', 'balanceText', 'topUp'],
  balance_reserved: ['reservedTitle', 'reservedText', 'retry'],
  key_limit_exceeded: ['limitTitle', 'limitText', 'newKey'],
  budget_exceeded: ['budgetTitle', 'budgetText', 'none'],
  email_not_verified: ['emailTitle', 'emailText', 'profile'],
  key_deactivated: ['keyTitle', 'keyText', 'newKey'],
  project_archived: ['projectTitle', 'projectText', 'newKey'],
  address_not_allowed: ['addressTitle', 'addressText', 'none'],
  account_blocked: ['blockedTitle', 'blockedText', 'none'],
  model_not_found: ['removedTitle', 'removedText', 'none'],
  no_deployment_fits: ['policyTitle', 'policyText', 'none'],
  rate_limit_exceeded: ['rateTitle', 'rateText', 'retry'],
  no_healthy_deployment: ['modelDownTitle', 'modelDownText', 'retry'],
  wallet_unavailable: ['unavailableTitle', 'unavailableText', 'retry'],
  answer_too_large: ['tooLongTitle', 'tooLongText', 'none'],
  upstream_error: ['providerTitle', 'providerText', 'retry'],
  upstream_timeout: ['timeoutTitle', 'providerText', 'retry'],
};
const byStatus: Readonly<Record<number, Known>> = {
  400: ['rejectedTitle', 'rejectedText', 'none'],
  401: ['keyTitle', 'keyText', 'newKey'],
  429: ['rateTitle', 'rateText', 'retry'],
  502: ['providerTitle', 'providerText', 'retry'],
  503: ['unavailableTitle', 'unavailableText', 'retry'],
  504: ['unavailableTitle', 'unavailableText', 'retry'],
};

interface Words {
  readonly t: Translate<Key>;
  /** For errors of the account API, which makes the key. */
  readonly describe: (error: unknown) => ErrorText;
  /** The gateway's address. */
  readonly url: string;
}

export function describeGatewayError(error: unknown, { t, describe, url }: Words): GatewayErrorText {
  if (!(error instanceof ApiError)) return { ...describe(error), remedy: 'retry' };
  // Too many keys were made, which is no limit of requests.
  if (error.code === 'too_many_attempts') return { ...describe(error), remedy: 'none' };
  const known = Object.hasOwn(byCode, error.code) ? byCode[error.code] : byStatus[error.status];
  if (known === undefined) return { ...describe(error), remedy: error.isTransient ? 'retry' : 'none' };
  const [title, text, remedy] = known;
  // It names the address.
  const isTelling = error.status === 400 || error.code === 'address_not_allowed';
  const detail = isTelling ? error.message : undefined;
  return { title: t(title), text: t(text, { url }), detail, remedy };
}
