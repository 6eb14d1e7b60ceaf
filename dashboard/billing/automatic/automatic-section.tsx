/** Automatic top-up: its state, and its settings with what the customer agrees to. */
import { Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Loaded } from '../../app/components/loaded.tsx';
import { Section } from '../../app/components/section.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { usePolling } from '../../app/live/live.ts';
import { autoTopUpQuery, methodsQuery } from '../queries.ts';
import { AutomaticForm } from './automatic-form.tsx';
import { AutomaticState } from './automatic-state.tsx';
import { automaticTexts } from './automatic-texts.ts';

const pollingMs = 15_000;

export function AutomaticSection() {
  const t = useTexts(automaticTexts);
  const query = useQuery({ ...autoTopUpQuery, refetchInterval: usePolling(pollingMs) });
  const methods = useQuery(methodsQuery);
  return (
    <Stack gap="lg" maw={760}>
      <Section title={t('title')} description={t('text')}>
        <Loaded query={query} skeleton={<Skeleton height={60} />}>
          {(automatic) => <AutomaticState automatic={automatic} />}
        </Loaded>
      </Section>
      <Section title={t('settings')}>
        <Loaded query={query} skeleton={<Skeleton height={320} />}>
          {(automatic) => (
            <Loaded query={methods} skeleton={<Skeleton height={320} />}>
              {(loaded) => <AutomaticForm automatic={automatic} methods={loaded} />}
            </Loaded>
          )}
        </Loaded>
      </Section>
    </Stack>
  );
}
