/** Downloads a CSV file. It is fetched, because a link cannot send the access token. */
import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useDescribeError } from '../errors/use-error-text.ts';
import { listTexts } from '../i18n/list-texts.ts';
import { useTexts } from '../i18n/use-texts.ts';
import { notifyFailed } from './notify.ts';

interface CsvButtonProps {
  /** `usage.csv` */
  readonly fileName: string;
  readonly load: () => Promise<Blob>;
}

export function CsvButton({ fileName, load }: CsvButtonProps) {
  const t = useTexts(listTexts);
  const describeError = useDescribeError();
  const download = useMutation({
    mutationFn: load,
    onSuccess: (file) => saveFile(file, fileName),
    onError: (error) => notifyFailed(describeError(error)),
  });
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={16} aria-hidden />}
      loading={download.isPending}
      onClick={() => download.mutate()}
    >
      {t('exportCsv')}
    </Button>
  );
}

function saveFile(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
