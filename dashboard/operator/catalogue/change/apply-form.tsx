/** Applies a checked catalogue, now or at a given time. */
import { Button, Group, SegmentedControl, Stack, TextInput, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../../../app/api/api-error.ts';
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
  /** Another version has taken effect since the check, and nothing was applied. */
  readonly onOutdated: () => void;
}

export function ApplyForm(props: ApplyFormProps) {
  const t = useTexts(catalogueTexts);
  const language = useLanguage();
  const [when, setWhen] = useState<'now' | 'later'>('now');
  /** In the reader's time zone: `2026-11-22T17:30`; empty until it is complete. */
  const [time, setTime] = useState('');
  const [isConfirming, setConfirming] = useState(false);
  const { preview } = props;
  const { apply, schedule, isRefused } = useApplying(props);
  const isLater = when === 'later';
  const instant = instantOf(time);
  const isPast = instant !== undefined && (hasPassed(instant) || isRefused(instant));
  const title =
    isLater && instant !== undefined ? t('scheduleTitle', { time: formatInstant(instant, language) }) : t('applyTitle');
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
          <Button disabled={isLater && (instant === undefined || isPast)} onClick={() => setConfirming(true)}>
            {label}
          </Button>
        </Group>
      </Stack>
      <ConfirmDialog
        opened={isConfirming}
        onClose={() => setConfirming(false)}
        title={title}
        text={
          <>
            {summaryOf(preview, t)} {preview.removed.length > 0 ? t('removedText') : null}
          </>
        }
        confirmLabel={label}
        onConfirm={() => (isLater ? schedule(instant) : apply())}
      />
    </section>
  );
}

/** Each returns as soon as the dialog may close: the form, or the panel around it, says why nothing was changed. */
function useApplying({ text, preview, onDone, onOutdated }: ApplyFormProps) {
  const t = useTexts(catalogueTexts);
  const language = useLanguage();
  const queries = useQueryClient();
  const [refusedInstant, setRefusedInstant] = useState<string>();
  const apply = async () => {
    try {
      const { version } = await applyCatalogue(text, preview.version);
      notifyDone(t('applyDone', { version }));
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'catalogue_changed') throw error;
      void refreshCatalogue(queries);
      return onOutdated();
    }
    await refreshCatalogue(queries);
    onDone('applied');
  };
  const schedule = async (instant: string | undefined) => {
    // The time may have passed while the dialog was open. What was to come later never comes now.
    if (instant === undefined || hasPassed(instant)) return;
    try {
      await scheduleCatalogue(text, instant);
    } catch (error) {
      if (!(error instanceof ApiError) || error.param !== 'effectiveFrom') throw error;
      // It has passed by the server's clock.
      return setRefusedInstant(instant);
    }
    notifyDone(t('scheduleDone', { time: formatInstant(instant, language) }));
    await refreshCatalogue(queries);
    onDone('scheduled');
  };
  return { apply, schedule, isRefused: (instant: string) => instant === refusedInstant };
}

/** Undefined until the time is complete. */
function instantOf(time: string): string | undefined {
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}

const hasPassed = (instant: string): boolean => Date.parse(instant) <= Date.now();

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
