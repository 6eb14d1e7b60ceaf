/** An error of /v1, or of making the key for it, in the reader's language. */
import { useDescribeError } from '../../app/errors/describe-error.ts';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { describeGatewayError, type GatewayErrorText } from './describe-gateway-error.ts';
import { gatewayErrorTexts } from './gateway-error-texts.ts';

export function useGatewayErrorText(error: unknown, url: string): GatewayErrorText {
  return describeGatewayError(error, { t: useTexts(gatewayErrorTexts), describe: useDescribeError(), url });
}
