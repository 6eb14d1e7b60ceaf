/** The state of a circuit, and the changes of circuits since the page was opened, as they happen. */
import { Text } from '@mantine/core';
import { useCallback, useState } from 'react';
import { type Column, DataTable, loadedQuery } from '../../app/components/data-table.tsx';
import { Status, type Tone } from '../../app/components/status.tsx';
import { type Translate, useTexts } from '../../app/i18n/use-texts.ts';
import { useLiveEvent } from '../../app/live/live.ts';
import { Instant } from '../../app/time/instant.tsx';
import { Section } from '../section.tsx';
import type { CircuitState } from './deployments.ts';
import { healthTexts } from './health-texts.ts';

interface CircuitChange {
  readonly id: number;
  readonly at: string;
  readonly replica: string;
  readonly deployment: string;
  readonly state: CircuitState;
}

const changesShown = 20;

export function CircuitChanges() {
  const t = useTexts(healthTexts);
  const [changes, setChanges] = useState<readonly CircuitChange[]>([]);
  const add = useCallback((data: unknown) => {
    const { replica, deployment, state } = data as Omit<CircuitChange, 'id' | 'at'>;
    setChanges((before) => {
      const id = (before[0]?.id ?? 0) + 1;
      return [{ id, at: new Date().toISOString(), replica, deployment, state }, ...before].slice(0, changesShown);
    });
  }, []);
  useLiveEvent('circuit', add);
  return (
    <Section title={t('changes')}>
      <DataTable
        label={t('changes')}
        columns={columnsOf(t)}
        rows={changes}
        rowKey={({ id }) => id}
        query={loadedQuery}
        empty={
          <Text size="sm" c="dimmed">
            {t('noChanges')}
          </Text>
        }
      />
    </Section>
  );
}

function columnsOf(t: Translate<NonNullable<(typeof healthTexts)['key']>>): Column<CircuitChange>[] {
  return [
    { id: 'at', header: t('at'), render: ({ at }) => <Instant value={at} /> },
    { id: 'deployment', header: t('deployment'), render: ({ deployment }) => deployment },
    { id: 'state', header: t('state'), render: ({ state }) => <CircuitStatus state={state} /> },
    { id: 'replica', header: t('replica'), render: ({ replica }) => <span className="mono">{replica}</span> },
  ];
}

const tones: Readonly<Record<CircuitState, Tone>> = {
  closed: 'good',
  half_open: 'warning',
  resting: 'warning',
  open: 'bad',
};

/** Whether requests are sent to a deployment. `replicas` tells how many see it so, where they disagree. */
export function CircuitStatus({ state, replicas }: { state: CircuitState; replicas?: number }) {
  const t = useTexts(healthTexts);
  return <Status tone={tones[state]}>{replicas === undefined ? t(state) : `${t(state)} (${replicas})`}</Status>;
}
