/** The third step: waits for the first request, warns of what would refuse it, and shows it when it has arrived. */
import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useLanguage, useTexts } from '../../app/i18n/use-texts.ts';
import { Usd } from '../../app/money/money.tsx';
import { useMay } from '../../app/session/permissions.ts';
import { formatCount } from '../../app/time/format-time.ts';
import { type FirstStepsState, newestRequestQuery } from '../queries.ts';
import { firstStepsTexts } from './first-steps-texts.ts';

export function FirstRequest({ steps, onLeave }: { steps: FirstStepsState; onLeave: () => void }) {
  return <div aria-live="polite">{steps.hasRequest ? <Arrived onLeave={onLeave} /> : <Waiting steps={steps} />}</div>;
}

function Waiting({ steps: { emailVerified, hasCredit } }: { steps: FirstStepsState }) {
  const t = useTexts(firstStepsTexts);
  const mayTopUp = useMay('payments:manage');
  if (!emailVerified) return <Text size="sm">{t('notVerified')}</Text>;
  if (!hasCredit) {
    return (
      <>
        <Text size="sm">{t(mayTopUp ? 'noCredit' : 'noCreditOthers')}</Text>
        {mayTopUp ? (
          <Button component={Link} to="/billing" variant="default" mt="sm">
            {t('topUp')}
          </Button>
        ) : null}
      </>
    );
  }
  return (
    <Text size="sm" c="dimmed" className="step-waiting">
      {t('waiting')}
    </Text>
  );
}

function Arrived({ onLeave }: { onLeave: () => void }) {
  const t = useTexts(firstStepsTexts);
  const language = useLanguage();
  const { data: request } = useQuery(newestRequestQuery);
  const tokens = request ? request.promptTokens + request.completionTokens : 0;
  return (
    <>
      {request ? (
        <Text size="sm">
          {t('arrived', {
            model: request.model,
            count: tokens,
            tokens: formatCount(tokens, language),
          })}{' '}
          <Usd amount={request.charged} />
        </Text>
      ) : null}
      <Group gap="xs" mt="sm">
        <Button onClick={onLeave}>{t('toOverview')}</Button>
        {request ? (
          <Button
            component={Link}
            variant="default"
            to="/activity"
            search={{ request: request.requestId } as unknown as true}
          >
            {t('showReceipt')}
          </Button>
        ) : null}
      </Group>
    </>
  );
}
