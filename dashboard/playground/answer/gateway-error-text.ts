/** An error of /v1 in words that a person can act on. */
import { ApiError } from '../../app/api/api-error.ts';
import { useDescribeError } from '../../app/errors/use-error-text.ts';
import { type Translate, useTexts } from '../../app/i18n/use-texts.ts';
import { gatewayErrorTexts } from './gateway-error-texts.ts';

export interface GatewayErrorText {
  readonly title: string;
  readonly text: string;
  readonly remedy: Remedy;
}

type Remedy = 'retry' | 'newKey' | 'topUp' | 'profile' | 'none';
type Key = NonNullable<(typeof gatewayErrorTexts)['key']>;
type Known = readonly [title: Key, text: Key, remedy: Remedy];

const byCode: Readonly<Record<string, Known>> = {
  network: ['networkTitle', 'networkText', 'retry'],
  stream_broken: ['brokenTitle', 'brokenText', 'retry'],
  insufficient_balance: ['balanceTitle', 'balanceText', 'topUp'],
  balance_reserved: ['reservedTitle', 'reservedText', 'retry'],
  key_limit_exceeded: ['limitTitle', 'limitText', 'newKey'],
  email_not_verified: ['emailTitle', 'emailText', 'profile'],
  account_blocked: ['blockedTitle', 'blockedText', 'none'],
  model_not_found: ['goneTitle', 'goneText', 'none'],
  rate_limit_exceeded: ['rateTitle', 'rateText', 'retry'],
  no_healthy_deployment: ['modelDownTitle', 'modelDownText', 'retry'],
  wallet_unavailable: ['unavailableTitle', 'unavailableText', 'retry'],
  upstream_error: ['providerTitle', 'providerText', 'retry'],
  upstream_timeout: ['timeoutTitle', 'providerText', 'retry'],
};
const byStatus: Readonly<Record<number, Known>> = {
  401: ['keyTitle', 'keyText', 'newKey'],
  429: ['rateTitle', 'rateText', 'retry'],
  502: ['providerTitle', 'providerText', 'retry'],
  503: ['unavailableTitle', 'unavailableText', 'retry'],
  504: ['unavailableTitle', 'unavailableText', 'retry'],
};

export function useGatewayErrorText(error: unknown, proxyUrl: string): GatewayErrorText {
  const t = useTexts(gatewayErrorTexts);
  const describe = useDescribeError();
  if (!(error instanceof ApiError)) return { ...describe(error), remedy: 'retry' };
  return describeKnown(error, t, proxyUrl) ?? { ...describe(error), remedy: error.isTransient ? 'retry' : 'none' };
}

function describeKnown({ code, status }: ApiError, t: Translate<Key>, url: string): GatewayErrorText | undefined {
  const known = Object.hasOwn(byCode, code) ? byCode[code] : byStatus[status];
  if (known === undefined) return undefined;
  const [title, text, remedy] = known;
  return { title: t(title), text: t(text, { url }), remedy };
}
