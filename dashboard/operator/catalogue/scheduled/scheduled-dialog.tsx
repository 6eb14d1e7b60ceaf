/** What a scheduled catalogue changes, compared with the current one. */
import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Dialog } from '../../../app/components/dialogs/dialog.tsx';
import { Loaded } from '../../../app/components/loaded.tsx';
import { useLanguage, useTexts } from '../../../app/i18n/use-texts.ts';
import { formatInstant } from '../../../app/time/format-time.ts';
import { catalogueTexts } from '../catalogue-texts.ts';
import { ProblemList } from '../change/problem-list.tsx';
import { Difference } from '../difference/difference.tsx';
import { previewQuery, type ScheduledCatalogue } from '../queries.ts';

interface ScheduledDialogProps {
  readonly scheduled: ScheduledCatalogue;
  readonly opened: boolean;
  readonly onClose: () => void;
}

export function ScheduledDialog({ scheduled, opened, onClose }: ScheduledDialogProps) {
  const t = useTexts(catalogueTexts);
  const language = useLanguage();
  const time = formatInstant(scheduled.effectiveFrom, language);
  return (
    <Dialog opened={opened} onClose={onClose} title={t('scheduledTitle', { time })} size={1000}>
      <Changes catalogue={scheduled.catalogue} />
    </Dialog>
  );
}

function Changes({ catalogue }: { catalogue: string }) {
  const query = useQuery(previewQuery(catalogue));
  return (
    <Loaded query={query} skeleton={<Skeleton height={240} />}>
      {(preview) => (preview.valid ? <Difference preview={preview} /> : <ProblemList problems={preview.problems} />)}
    </Loaded>
  );
}
