/** Puts a checked catalogue into force, now or at a time. */
import { Button, Group, SegmentedControl, Stack, TextInput, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../app/components/dialogs/confirm-dialog.tsx';
import { notifyDone } from '../../../app/components/notify.ts';
import { useLanguage, useTexts } from '../../../app/i18n/use-texts.ts';
import { formatInstant } from '../../../app/time/format-time.ts';
import { catalogueTexts } from '../catalogue-texts.ts';
import { applyCatalogue, type Preview, refreshCatalogue, scheduleCatalogue } from '../queries.ts';

interface ApplyFormProps {
  readonly text: string;
  readonly preview: Preview;
  readonly onDone: (done: 'applied' | 'scheduled') => void;
}

export function ApplyForm({ text, preview, onDone }: ApplyFormProps) {
  const t = useTexts(catalogueTexts);
  const language = useLanguage();
  const queries = useQueryClient();
  const [when, setWhen] = useState<'now' | 'later'>('now');
  /** In the reader's time zone: `2026-11-22T17:30`; empty until it is complete. */
  const [time, setTime] = useState('');
  const [isAsking, setAsking] = useState(false);
  const isPast = time !== '' && Date.parse(time) <= Date.now();
  const instant = time === '' || isPast ? undefined : new Date(time).toISOString();
  const isLater = when === 'later';
  const confirm = async () => {
    if (isLater && instant !== undefined) {
      await scheduleCatalogue(text, instant);
      notifyDone(t('scheduleDone', { time: formatInstant(instant, language) }));
    } else {
      const { version } = await applyCatalogue(text);
      notifyDone(t('applyDone', { version }));
    }
    await refreshCatalogue(queries);
    onDone(isLater ? 'scheduled' : 'applied');
  };
  const label = t(isLater ? 'schedule' : 'apply');
  return (
    <section className="panel">
      <Stack gap="sm" align="flex-start">
        <Title order={2}>{t('when')}</Title>
        <SegmentedControl
          aria-label={t('when')}
          value={when}
          onChange={(value) => setWhen(value === 'later' ? 'later' : 'now')}
          data={[
            { value: 'now', label: t('now') },
            { value: 'later', label: t('later') },
          ]}
        />
        <Group align="flex-end" gap="sm">
          {isLater ? (
            <TextInput
              type="datetime-local"
              label={t('time')}
              value={time}
              onChange={({ currentTarget }) => setTime(currentTarget.value)}
              {...(isPast && { error: t('timePast') })}
              w={240}
            />
          ) : null}
          <Button disabled={isLater && instant === undefined} onClick={() => setAsking(true)}>
            {label}
          </Button>
        </Group>
      </Stack>
      <ConfirmDialog
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={
          isLater && instant !== undefined
            ? t('scheduleTitle', { time: formatInstant(instant, language) })
            : t('applyTitle')
        }
        text={
          <>
            {summaryOf(preview, t)} {preview.removed.length > 0 ? t('removedText') : null}
          </>
        }
        confirmLabel={label}
        onConfirm={confirm}
      />
    </section>
  );
}

function summaryOf(
  { added, removed, changed }: Preview,
  t: ReturnType<typeof useTexts<NonNullable<(typeof catalogueTexts)['key']>>>,
): string {
  if (added.length + removed.length + changed.length === 0) return t('nothingChanges');
  return [
    t('changedCount', { count: changed.length }),
    t('addedCount', { count: added.length }),
    t('removedCount', { count: removed.length }),
  ].join(' ');
}
