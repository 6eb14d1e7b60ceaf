/**
 * The three steps of a newcomer: a key, a snippet, and the first request, which is shown when it arrives. The key that was
 * just created is kept in memory for the snippet, until the page is closed.
 */
import { Button, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { useLiveEvent } from '../../app/live/live.ts';
import { CreateKeyDialog } from '../../keys/create-key-dialog.tsx';
import { BalanceTile } from '../balance-tile.tsx';
import { balanceQuery, type FirstStepsState, firstStepsQuery } from '../queries.ts';
import { FirstRequest } from './first-request.tsx';
import { firstStepsTexts } from './first-steps-texts.ts';
import { SnippetStep } from './snippet-step.tsx';
import { Step } from './step.tsx';

export function FirstSteps({ steps, onLeave }: { steps: FirstStepsState; onLeave: () => void }) {
  const t = useTexts(firstStepsTexts);
  const queries = useQueryClient();
  const [isCreating, setCreating] = useState(false);
  const [key, setKey] = useState<string>();
  const [isCopied, setCopied] = useState(false);
  const refresh = useCallback(() => void queries.invalidateQueries(firstStepsQuery), [queries]);
  // A payment is a step as well.
  useLiveEvent('balance', refresh);
  const created = (newKey: string) => {
    setKey(newKey);
    refresh();
  };
  return (
    <>
      <ol className="steps" aria-label={t('steps')}>
        <Step title={t('keyTitle')} number={1} isDone={steps.hasKey}>
          <Text size="sm" c="dimmed" mb="sm">
            {t(key !== undefined ? 'keyMade' : steps.hasKey ? 'keyDone' : 'keyText')}
          </Text>
          {key === undefined ? (
            <Button variant={steps.hasKey ? 'default' : 'filled'} onClick={() => setCreating(true)}>
              {t('createKey')}
            </Button>
          ) : null}
        </Step>
        <Step title={t('snippetTitle')} number={2} isDone={isCopied || steps.hasRequest}>
          <SnippetStep apiKey={key} onCopy={() => setCopied(true)} />
        </Step>
        <Step title={t('requestTitle')} number={3} isDone={steps.hasRequest}>
          <FirstRequest steps={steps} onLeave={onLeave} />
        </Step>
      </ol>
      {steps.hasCredit ? <Credit /> : null}
      <CreateKeyDialog kind="proxy" opened={isCreating} onClose={() => setCreating(false)} onCreated={created} />
    </>
  );
}

/** Of a customer who has paid, but has not made a request yet. */
function Credit() {
  const { data } = useQuery(balanceQuery);
  return (
    <div className="tiles steps-balance">
      <BalanceTile balance={data} />
    </div>
  );
}
