/** Downloads a CSV file. A long one shows how much of it has arrived. */
import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { download } from '../api/download.ts';
import { useDescribeError } from '../errors/error-state.tsx';
import { listTexts } from '../i18n/list-texts.ts';
import { useLanguage, useTexts } from '../i18n/use-texts.ts';
import { formatCount } from '../time/format-time.ts';
import { notifyFailed } from './notify.ts';

const megabyte = 1_000_000;

interface CsvButtonProps {
  /** `usage.csv` */
  readonly fileName: string;
  /** Of the API, with its query. */
  readonly path: string;
}

export function CsvButton({ fileName, path }: CsvButtonProps) {
  const t = useTexts(listTexts);
  const language = useLanguage();
  const describeError = useDescribeError();
  const [bytes, setBytes] = useState(0);
  const save = useMutation({
    mutationFn: () => download(path, { fileName, onBytes: setBytes }),
    onError: (error) => notifyFailed(describeError(error)),
    onSettled: () => setBytes(0),
  });
  const isLong = bytes >= megabyte;
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={16} aria-hidden />}
      loading={save.isPending && !isLong}
      disabled={save.isPending}
      onClick={() => save.mutate()}
    >
      {isLong ? t('exported', { size: formatCount(Math.floor(bytes / megabyte), language) }) : t('exportCsv')}
    </Button>
  );
}
