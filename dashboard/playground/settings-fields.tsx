/** The system prompt and the parameters. A field that is empty leaves the choice to the model. */
import { NumberInput, Select, SimpleGrid, Stack, TagsInput, Textarea } from '@mantine/core';
import { memo } from 'react';
import { customsOf } from '../../shared/languages.ts';
import { useLanguage, useTexts } from '../app/i18n/use-texts.ts';
import { reasoningEfforts, type Settings } from './conversation/chat-request.ts';
import { conversation } from './conversation/conversation.ts';
import { playgroundTexts } from './playground-texts.ts';

/** The limits of /v1. */
const numbers = [
  { name: 'temperature', min: 0, max: 2, step: 0.1 },
  { name: 'topP', min: 0, max: 1, step: 0.05 },
  { name: 'frequencyPenalty', min: -2, max: 2, step: 0.1 },
  { name: 'presencePenalty', min: -2, max: 2, step: 0.1 },
] as const;
const stopsMax = 4;

/** Typing a message does not draw it again. */
export const SettingsFields = memo(function SettingsFields({ settings }: { settings: Settings }) {
  const t = useTexts(playgroundTexts);
  const { thousandSeparator, decimalSeparator } = customsOf[useLanguage()];
  const set = (values: Partial<Settings>) => conversation.set(values);
  return (
    <Stack gap="sm">
      <Textarea
        label={t('systemPrompt')}
        placeholder={t('systemPromptHint')}
        value={settings.systemPrompt}
        onChange={({ currentTarget }) => set({ systemPrompt: currentTarget.value })}
        autosize
        minRows={3}
        maxRows={12}
      />
      <NumberInput
        label={t('maxTokens')}
        placeholder={t('byDefault')}
        value={settings.maxTokens}
        onChange={(value) => set({ maxTokens: value })}
        min={1}
        max={10_000_000}
        allowDecimal={false}
        allowNegative={false}
        thousandSeparator={thousandSeparator}
        hideControls
      />
      <SimpleGrid cols={2} spacing="sm" verticalSpacing="sm">
        {numbers.map(({ name, ...range }) => (
          <NumberInput
            key={name}
            label={t(name)}
            placeholder={t('byDefault')}
            value={settings[name]}
            onChange={(value) => set({ [name]: value })}
            decimalScale={2}
            decimalSeparator={decimalSeparator}
            allowedDecimalSeparators={['.', ',']}
            allowNegative={range.min < 0}
            hideControls
            {...range}
          />
        ))}
      </SimpleGrid>
      <Select
        label={t('reasoningEffort')}
        placeholder={t('byDefault')}
        data={reasoningEfforts.map((value) => ({ value, label: t(value) }))}
        value={settings.reasoningEffort === '' ? null : settings.reasoningEffort}
        onChange={(value) => set({ reasoningEffort: reasoningEfforts.find((effort) => effort === value) ?? '' })}
        clearable
      />
      <TagsInput
        label={t('stopSequences')}
        description={t('stopHint')}
        value={[...settings.stop]}
        onChange={(stop) => set({ stop })}
        maxTags={stopsMax}
      />
    </Stack>
  );
});
