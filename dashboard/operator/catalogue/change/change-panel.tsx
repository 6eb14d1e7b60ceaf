/** A new catalogue: the file, its errors or its changes, and when it takes effect. */
import { Alert, Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { LateSkeleton } from '../../../app/components/loaded.tsx';
import { FormError } from '../../../app/errors/form-error.tsx';
import { useTexts } from '../../../app/i18n/use-texts.ts';
import { UploadButton } from '../../upload-button.tsx';
import { catalogueTexts } from '../catalogue-texts.ts';
import { Difference } from '../difference/difference.tsx';
import { type Preview, previewCatalogue } from '../queries.ts';
import { ApplyForm } from './apply-form.tsx';
import { ProblemList } from './problem-list.tsx';
import { selectLine, YamlField } from './yaml-field.tsx';

interface ChangePanelProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  /** The current file; undefined while it loads, and before the first. */
  readonly current: string | undefined;
  readonly onDone: (done: 'applied' | 'scheduled') => void;
}

export function ChangePanel({ text, onText, current, onDone }: ChangePanelProps) {
  const t = useTexts(catalogueTexts);
  const field = useRef<HTMLTextAreaElement>(null);
  const checkButton = useRef<HTMLButtonElement>(null);
  const [checked, setChecked] = useState<{ readonly text: string; readonly preview: Preview }>();
  /** Whether another version has taken effect since the check. */
  const [isOutdated, setOutdated] = useState(false);
  const check = useMutation({
    mutationFn: previewCatalogue,
    onMutate: () => setOutdated(false),
    onSuccess: (preview, sent) => setChecked({ text: sent, preview }),
  });
  const discard = () => {
    setChecked(undefined);
    setOutdated(true);
  };
  useEffect(() => {
    if (isOutdated) checkButton.current?.focus();
  }, [isOutdated]);
  // What was found out about another text says nothing about this one.
  const preview = checked?.text === text ? checked.preview : undefined;
  return (
    <Stack gap="lg">
      <div>
        <Sources current={current} onText={onText} />
        <YamlField ref={field} label={t('file')} placeholder={t('filePlaceholder')} value={text} onChange={onText} />
      </div>
      <FormError error={check.error} />
      {isOutdated ? (
        <Alert color="yellow" variant="outline" role="alert">
          {t('changedMeanwhile')}
        </Alert>
      ) : null}
      <Group>
        <Button
          ref={checkButton}
          disabled={text.trim() === ''}
          loading={check.isPending}
          onClick={() => check.mutate(text)}
        >
          {t('check')}
        </Button>
      </Group>
      <div aria-live="polite">
        {check.isPending ? (
          <LateSkeleton>
            <Skeleton height={200} />
          </LateSkeleton>
        ) : preview === undefined ? null : preview.valid ? (
          <Stack gap="lg">
            <section>
              <Title order={2} mb="xs">
                {t('whatChanges')}
              </Title>
              <Difference preview={preview} />
            </section>
            <ApplyForm text={text} preview={preview} onDone={onDone} onOutdated={discard} />
          </Stack>
        ) : (
          <ProblemList problems={preview.problems} onOpen={(line) => selectLine(field.current, line)} />
        )}
      </div>
    </Stack>
  );
}

function Sources({ current, onText }: Pick<ChangePanelProps, 'current' | 'onText'>) {
  const t = useTexts(catalogueTexts);
  return (
    <Group justify="space-between" gap="xs" mb="xs">
      <Text size="sm" c="dimmed" maw={560}>
        {t('changeText')}
      </Text>
      <Group gap="xs">
        <Button variant="default" disabled={current === undefined} onClick={() => onText(current ?? '')}>
          {t('useCurrent')}
        </Button>
        <UploadButton
          variant="default"
          label={t('upload')}
          accept=".yaml,.yml,.json"
          onFile={(file) => void file.text().then(onText)}
        />
      </Group>
    </Group>
  );
}
