/** After the password: a second factor. */
import { Button } from '@mantine/core';
import { ApiError } from '../../app/api/api-error.ts';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { FactorForm } from '../../app/second-factor/factor-form.tsx';
import { Card } from '../card.tsx';
import { signInTexts } from '../sign-in-texts.ts';
import { answerWithCode, answerWithPasskey, type Challenge } from './queries.ts';

interface SecondStepProps {
  readonly challenge: Challenge;
  /** Back to the password. `hasExpired` if the challenge is of no more use. */
  readonly onBack: (hasExpired: boolean) => void;
}

export function SecondStep({ challenge: { challenge, methods }, onBack }: SecondStepProps) {
  const t = useTexts(signInTexts);
  // The router leaves this page as soon as there is a session.
  const answer = async (send: () => Promise<void>) => {
    try {
      await send();
    } catch (error) {
      if (!isOver(error)) throw error;
      onBack(true);
    }
  };
  return (
    <Card title={t('secondStep')} text={t('secondStepText')}>
      <FactorForm
        methods={methods}
        submitLabel={t('signIn')}
        onCode={(code) => answer(() => answerWithCode(challenge, code))}
        onPasskey={() => answer(() => answerWithPasskey(challenge))}
        cancel={
          <Button variant="subtle" color="gray" onClick={() => onBack(false)}>
            {t('back')}
          </Button>
        }
      />
    </Card>
  );
}

const isOver = (error: unknown) => error instanceof ApiError && error.code === 'challenge_expired';
