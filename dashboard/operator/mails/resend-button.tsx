/** Sends a failed mail again. */
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError } from '../../app/api/api-error.ts';
import { notifyDone, notifyFailed } from '../../app/components/notify.ts';
import { useDescribeError } from '../../app/errors/error-state.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { mailsTexts } from './mails-texts.ts';
import { type Mail, resendMail } from './queries.ts';

export function ResendButton({ mail: { id, state, recipient } }: { mail: Mail }) {
  const t = useTexts(mailsTexts);
  const queries = useQueryClient();
  const describeError = useDescribeError();
  const resend = useMutation({
    mutationFn: () => resendMail(id),
    onSuccess: () => notifyDone(t('resent', { recipient })),
    onError: (error) => {
      const isTooLate = error instanceof ApiError && error.code === 'mail_not_resendable';
      notifyFailed(isTooLate ? { title: t('tooLateTitle'), text: t('tooLateText') } : describeError(error));
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['operator-mails'] }),
  });
  if (state !== 'failed') return null;
  return (
    <Button
      variant="default"
      size="compact-sm"
      className="operator-action"
      aria-label={t('resendTo', { recipient })}
      loading={resend.isPending}
      onClick={() => resend.mutate()}
    >
      {t('resend')}
    </Button>
  );
}
