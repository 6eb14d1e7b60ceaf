/** What the user signs in with besides the password: an authenticator app, passkeys, and recovery codes in case both are lost. */
import { Alert, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../../app/components/dialogs/dialog.tsx';
import { Loaded } from '../../app/components/loaded.tsx';
import { Section } from '../../app/components/section.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { session } from '../../app/session/session.ts';
import { sessionsQuery } from '../queries.ts';
import { SendLink } from '../send-link.tsx';
import { AppRow } from './app-row.tsx';
import { CodesRow } from './codes-row.tsx';
import { PasskeysPart } from './passkeys-part.tsx';
import { hasFactor, secondFactorsQuery } from './queries.ts';
import { RecoveryCodes } from './recovery-codes.tsx';
import { secondFactorTexts } from './second-factor-texts.ts';
import { type PartProps, useConfirmation } from './use-confirmation.tsx';

export function SecondFactorSection({ emailVerified }: { emailVerified: boolean }) {
  const t = useTexts(secondFactorTexts);
  const queries = useQueryClient();
  const factors = useQuery(secondFactorsQuery);
  const confirmation = useConfirmation();
  const [codes, setCodes] = useState<readonly string[]>();
  const onChanged: PartProps['onChanged'] = async (recoveryCodes) => {
    if (recoveryCodes) setCodes(recoveryCodes);
    // With the first factor, other sessions end; and it may be what the organization requires.
    await Promise.all([
      queries.invalidateQueries(secondFactorsQuery),
      queries.invalidateQueries(sessionsQuery),
      session.check(),
    ]);
  };
  const part = { confirmation, onChanged };
  return (
    <div id="second-factor">
      <Section title={t('title')} description={t('description')}>
        <Loaded query={factors} skeleton={<Skeleton height={120} />}>
          {(data) => (
            <Stack gap="lg">
              {emailVerified && !data.canAdd ? <LinkNeeded /> : null}
              <AppRow factors={data} {...part} />
              <PasskeysPart factors={data} {...part} />
              {hasFactor(data) ? <CodesRow left={data.recoveryCodesLeft} {...part} /> : null}
            </Stack>
          )}
        </Loaded>
      </Section>
      <Dialog opened={codes !== undefined} onClose={() => setCodes(undefined)} title={t('codesTitle')} canClose={false}>
        {codes === undefined ? null : <RecoveryCodes codes={codes} onDone={() => setCodes(undefined)} />}
      </Dialog>
      {confirmation.dialog}
    </div>
  );
}

/** The address was verified elsewhere, without a log-in: perhaps not by the one who knows the password. */
function LinkNeeded() {
  const t = useTexts(secondFactorTexts);
  return (
    <Alert variant="outline" color="yellow" role="status">
      <Text size="sm" mb="sm">
        {t('linkNeeded')}
      </Text>
      <SendLink label={t('sendLink')} />
    </Alert>
  );
}
