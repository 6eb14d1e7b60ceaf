/** Mails the link that verifies the address of the user, or the one that it is to be changed to. */
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { profileQuery } from '../app/api/shared-queries.ts';
import { notifyDone, notifyFailed } from '../app/components/notify.ts';
import { useDescribeError } from '../app/errors/error-state.tsx';
import { useTexts } from '../app/i18n/use-texts.ts';
import { profileTexts } from './profile-texts.ts';
import { resendLink } from './queries.ts';
import { secondFactorsQuery } from './second-factor/queries.ts';

export function SendLink({ label }: { label: string }) {
  const t = useTexts(profileTexts);
  const queries = useQueryClient();
  const describe = useDescribeError();
  const send = useMutation({
    mutationFn: resendLink,
    onSuccess: async ({ sentTo }) => {
      if (sentTo !== null) return notifyDone(t('linkSent', { email: sentTo }));
      // It has been confirmed elsewhere, such as on a phone.
      await Promise.all([queries.invalidateQueries(profileQuery), queries.invalidateQueries(secondFactorsQuery)]);
    },
    onError: (error) => notifyFailed(describe(error)),
  });
  return (
    <Button variant="default" size="xs" loading={send.isPending} onClick={() => send.mutate()}>
      {label}
    </Button>
  );
}
