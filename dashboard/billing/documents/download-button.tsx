/** Saves a document as a file. */
import { ActionIcon, Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { notifyFailed } from '../../app/components/notify.ts';
import { useDescribeError } from '../../app/errors/error-state.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { documentsTexts } from './documents-texts.ts';
import { downloadPdf } from './queries.ts';

export function DownloadButton({ documentId }: { documentId: string }) {
  const t = useTexts(documentsTexts);
  const save = useDownload(documentId);
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={16} aria-hidden />}
      loading={save.isPending}
      onClick={() => save.mutate()}
    >
      {t('download')}
    </Button>
  );
}

/** `name` tells screen readers which of many. */
export function DownloadIcon({ documentId, name }: { documentId: string; name: string }) {
  const t = useTexts(documentsTexts);
  const save = useDownload(documentId);
  const label = t('downloadOf', { name });
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={label}
      title={label}
      loading={save.isPending}
      onClick={() => save.mutate()}
      className="document-download"
    >
      <IconDownload size={17} stroke={1.6} aria-hidden />
    </ActionIcon>
  );
}

function useDownload(documentId: string) {
  const describeError = useDescribeError();
  return useMutation({
    mutationFn: () => downloadPdf(documentId),
    onError: (error) => notifyFailed(describeError(error)),
  });
}
