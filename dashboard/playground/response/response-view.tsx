/** One model's response: its text as it arrives, then what it cost or why it failed. */
import { Anchor, Group, Loader, Text } from '@mantine/core';
import { IconCoins } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { lazy, memo, Suspense, useRef } from 'react';
import { CopyIcon } from '../../app/components/copy-icon.tsx';
import { useLanguage, useTexts } from '../../app/i18n/use-texts.ts';
import { Usd } from '../../app/money/money.tsx';
import { formatCount } from '../../app/time/format-time.ts';
import type { ModelResponse } from '../conversation/turns.ts';
import { playgroundTexts } from '../playground-texts.ts';
import { ResponseError, type ResponsePlace } from './response-error.tsx';

export function ResponseView({ response, place }: { response: ModelResponse; place: ResponsePlace }) {
  const t = useTexts(playgroundTexts);
  const shown = useRef<HTMLDivElement>(null);
  const { model, status, text, reasoning, error } = response;
  const isWaiting = status === 'running' && text === '';
  return (
    <div className="model-response">
      <Group gap={4} wrap="nowrap" mb={4} className="model-response-head">
        <Text className="mono" c="dimmed">
          {model}
        </Text>
        {text === '' || status === 'running' ? null : (
          <CopyIcon label={t('copyResponse')} value={text} shownIn={() => shown.current} />
        )}
      </Group>
      {reasoning === '' ? null : (
        <details className="reasoning" open={isWaiting}>
          <summary>{t('reasoning')}</summary>
          <div className="plain-text">{reasoning}</div>
        </details>
      )}
      {isWaiting ? <Loader type="dots" size="sm" color="gray" aria-hidden /> : null}
      <div ref={shown} className="model-response-text">
        <ResponseText text={text} />
      </div>
      {status === 'failed' ? <ResponseError error={error} place={place} /> : null}
      {status === 'running' ? null : <Facts response={response} />}
    </div>
  );
}

const Markdown = lazy(() => import('./markdown.tsx'));

/** The text of a model, as Markdown. What reads Markdown is loaded with the first response; until then the text is plain. */
const ResponseText = memo(function ResponseText({ text }: { text: string }) {
  if (text === '') return null;
  return (
    <Suspense fallback={<div className="plain-text">{text}</div>}>
      <Markdown text={text} />
    </Suspense>
  );
});

function Facts({ response }: { response: ModelResponse }) {
  const t = useTexts(playgroundTexts);
  const language = useLanguage();
  const { status, finishReason, usage, isSettling, durationMs, error, requestId } = response;
  const seconds = new Intl.NumberFormat(language, { maximumFractionDigits: 1, minimumFractionDigits: 1 });
  const notes = [
    status === 'stopped' && t('stopped'),
    finishReason === 'length' && t('cutOff'),
    finishReason === 'content_filter' && t('filtered'),
    durationMs !== undefined && error === undefined && t('seconds', { seconds: seconds.format(durationMs / 1_000) }),
  ].filter((note) => note !== false);
  if (usage === undefined && !isSettling && notes.length === 0) return null;
  return (
    <Text size="xs" c="dimmed" component="div" className="model-response-facts">
      {usage === undefined ? null : (
        <>
          <span>
            <IconCoins size={14} stroke={1.6} aria-hidden /> <Usd amount={usage.cost} />
            {usage.isEstimate ? ` (${t('estimated')})` : null}
          </span>
          <span>{t('tokensIn', { count: usage.tokensIn, number: formatCount(usage.tokensIn, language) })}</span>
          <span>{t('tokensOut', { number: formatCount(usage.tokensOut, language) })}</span>
        </>
      )}
      {usage === undefined || requestId === undefined ? null : <ReceiptLink requestId={requestId} />}
      {isSettling ? <span>{t('settling')}</span> : null}
      {notes.map((note) => (
        <span key={note}>{note}</span>
      ))}
    </Text>
  );
}

/** How the cost comes about. */
function ReceiptLink({ requestId }: { requestId: string }) {
  const t = useTexts(playgroundTexts);
  return (
    <Anchor component={Link} to="/activity" search={{ request: requestId } as unknown as true} inherit>
      {t('receipt')}
    </Anchor>
  );
}
