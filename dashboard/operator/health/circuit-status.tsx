/** Whether requests are sent to a deployment. */
import { Status, type Tone } from '../../app/components/status.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
import type { CircuitState } from './deployments.ts';
import { healthTexts } from './health-texts.ts';

const tones: Readonly<Record<CircuitState, Tone>> = {
  closed: 'good',
  half_open: 'warning',
  resting: 'warning',
  open: 'bad',
};

/** `replicas` tells how many see it so, where they disagree. */
export function CircuitStatus({ state, replicas }: { state: CircuitState; replicas?: number }) {
  const t = useTexts(healthTexts);
  return <Status tone={tones[state]}>{replicas === undefined ? t(state) : `${t(state)} (${replicas})`}</Status>;
}
