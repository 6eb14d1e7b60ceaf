/** One of the first steps: its number turns into a green tick once it is done. */
import { Title, VisuallyHidden } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { firstStepsTexts } from './first-steps-texts.ts';

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly isDone: boolean;
  readonly children: ReactNode;
}

export function Step({ number, title, isDone, children }: StepProps) {
  const t = useTexts(firstStepsTexts);
  return (
    <li className="step" data-done={isDone || undefined}>
      <span className="step-mark" aria-hidden>
        {isDone ? <IconCheck size={16} stroke={2.5} /> : number}
      </span>
      <div className="step-content">
        <Title order={2} size="h4" mb={4}>
          {title}
          {isDone ? <VisuallyHidden>{` – ${t('done')}`}</VisuallyHidden> : null}
        </Title>
        {children}
      </div>
    </li>
  );
}
