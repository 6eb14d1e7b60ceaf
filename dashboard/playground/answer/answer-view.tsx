/** One model's response: its text as it arrives, then what it cost or why it failed. */
import { Anchor, Group, Loader, Text } from '@mantine/core';
import { IconCoins } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { lazy, memo, Suspense, useRef } from 'react';
import { CopyIcon } from '../../app/components/copy-icon.tsx';
import { useLanguage, useTexts } from '../../app/i18n/use-texts.ts';
import { Usd } from '../../app/money/money.tsx';
import { formatCount } from '../../app/time/format-time.ts';
import type { Answer } from '../conversation/turns.ts';
import { playgroundTexts } from '../playground-texts.ts';
import { AnswerError, type AnswerPlace } from './answer-error.tsx';

export function AnswerView({ answer, place }: { answer: Answer; place: AnswerPlace }) {
  const t = useTexts(playgroundTexts);
  const shown = useRef<HTMLDivElement>(null);
  const { model, status, text, reasoning, error } = answer;
  const isWaiting = status === 'running' && text === '';
  return (
    <div className="answer">
      <Group gap={4} wrap="nowrap" mb={4} className="answer-head">
        <Text className="mono" c="dimmed">
          {model}
        </Text>
        {text === '' || status === 'running' ? null : (
          <CopyIcon label={t('copyAnswer')} value={text} shownIn={() => shown.current} />
        )}
      </Group>
      {reasoning === '' ? null : (
        <details className="reasoning" open={isWaiting}>
          <summary>{t('reasoning')}</summary>
          <div className="plain-text">{reasoning}</div>
        </details>
      )}
      {isWaiting ? <Loader type="dots" size="sm" color="gray" aria-hidden /> : null}
      <div ref={shown} className="answer-text">
        <AnswerText text={text} />
      </div>
      {status === 'failed' ? <AnswerError error={error} place={place} /> : null}
      {status === 'running' ? null : <Facts answer={answer} />}
    </div>
  );
}

const Markdown = lazy(() => import('./markdown.tsx'));

/** The text of a model, as Markdown. What reads Markdown is loaded with the first response; until then the text is plain. */
const AnswerText = memo(function AnswerText({ text }: { text: string }) {
  if (text === '') return null;
  return (
    <Suspense fallback={<div className="plain-text">{text}</div>}>
      <Markdown text={text} />
    </Suspense>
  );
});

function Facts({ answer }: { answer: Answer }) {
  const t = useTexts(playgroundTexts);
  const language = useLanguage();
  const { status, finishReason, usage, isSettling, durationMs, error, requestId } = answer;
  const seconds = new Intl.NumberFormat(language, { maximumFractionDigits: 1, minimumFractionDigits: 1 });
  const notes = [
    status === 'stopped' && t('stopped'),
    finishReason === 'length' && t('cutOff'),
    finishReason === 'content_filter' && t('filtered'),
    durationMs !== undefined && error === undefined && t('seconds', { seconds: seconds.format(durationMs / 1_000) }),
  ].filter((note) => note !== false);
  if (usage === undefined && !isSettling && notes.length === 0) return null;
  return (
    <Text size="xs" c="dimmed" component="div" className="answer-facts">
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
