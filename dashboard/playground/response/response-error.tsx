/** Why a model did not respond, and what helps. */
import { Alert, Button, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { ApiError } from '../../app/api/api-error.ts';
import { ErrorDetail, useDescribeError } from '../../app/errors/error-state.tsx';
import { commonTexts } from '../../app/i18n/common-texts.ts';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { useMay } from '../../app/session/permissions.ts';
import { conversation } from '../conversation/conversation.ts';
import { describeGatewayError, type GatewayErrorText } from './describe-gateway-error.ts';
import { gatewayErrorTexts } from './gateway-error-texts.ts';

/** Which response it is. */
export interface ResponsePlace {
  readonly turnId: number;
  readonly column: number;
  readonly proxyUrl: string;
}

export function ResponseError({ error, place }: { error: unknown; place: ResponsePlace }) {
  const t = useTexts(gatewayErrorTexts);
  const described = useGatewayErrorText(error, place.proxyUrl);
  const requestId = error instanceof ApiError ? error.requestId : undefined;
  return (
    <Alert color="red" variant="outline" title={described.title} role="alert" mt="xs" className="model-response-error">
      <Text size="sm">{described.text}</Text>
      <ErrorDetail>{described.detail}</ErrorDetail>
      {requestId === undefined ? null : (
        <Text size="xs" c="dimmed" mt={4} className="request-id">
          {t('requestId', { id: requestId })}
        </Text>
      )}
      <Group gap="xs" mt="sm">
        <Remedy described={described} place={place} error={error} />
      </Group>
    </Alert>
  );
}

/** An error of /v1, or of making the key for it, in the reader's language. */
function useGatewayErrorText(error: unknown, url: string): GatewayErrorText {
  return describeGatewayError(error, { t: useTexts(gatewayErrorTexts), describe: useDescribeError(), url });
}

interface RemedyProps {
  readonly described: GatewayErrorText;
  readonly place: ResponsePlace;
  readonly error: unknown;
}

function Remedy({ described: { remedy }, place, error }: RemedyProps) {
  const t = useTexts(gatewayErrorTexts);
  const { turnId, column, proxyUrl } = place;
  const retry = (newKey: boolean) => conversation.retry(turnId, column, { proxyUrl, newKey });
  if (remedy === 'none') return null;
  if (remedy === 'newKey') {
    return (
      <Button variant="default" size="xs" onClick={() => retry(true)}>
        {t('continueWithNewKey')}
      </Button>
    );
  }
  const seconds = error instanceof ApiError ? error.retryAfterSeconds : undefined;
  return (
    <>
      <PageButton remedy={remedy} />
      <RetryButton waitSeconds={seconds ?? 0} onRetry={() => retry(false)} />
    </>
  );
}

/** To the page that helps, if one does. */
function PageButton({ remedy }: { remedy: GatewayErrorText['remedy'] }) {
  const t = useTexts(gatewayErrorTexts);
  const mayTopUp = useMay('payments:manage');
  if (remedy !== 'profile' && !(remedy === 'topUp' && mayTopUp)) return null;
  return (
    <Button component={Link} to={remedy === 'topUp' ? '/billing' : '/profile'} size="xs">
      {t(remedy === 'topUp' ? 'topUp' : 'openProfile')}
    </Button>
  );
}

/** Counts down as long as the gateway asked to wait. */
function RetryButton({ waitSeconds, onRetry }: { waitSeconds: number; onRetry: () => void }) {
  const t = useTexts(gatewayErrorTexts);
  const common = useTexts(commonTexts);
  const [until] = useState(() => Date.now() + waitSeconds * 1_000);
  const [now, setNow] = useState(Date.now);
  const left = Math.max(0, Math.ceil((until - now) / 1_000));
  const isWaiting = left > 0;
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, [isWaiting]);
  return (
    <Button variant="default" size="xs" disabled={isWaiting} onClick={onRetry}>
      {isWaiting ? t('tryAgainIn', { seconds: left }) : common('tryAgain')}
    </Button>
  );
}
