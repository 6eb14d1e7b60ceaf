/** The buttons above the conversation. */
import { Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type Icon, IconAdjustmentsHorizontal, IconCode, IconColumns2, IconPlus } from '@tabler/icons-react';
import { useTexts } from '../app/i18n/use-texts.ts';
import { conversation, useConversation } from './conversation/conversation.ts';
import type { ModelChoiceProps } from './model-choice.tsx';
import { playgroundTexts } from './playground-texts.ts';

export type PlaygroundDialog = 'code' | 'settings' | undefined;

/** Whether the settings have a place beside the conversation; otherwise they are in a dialog. */
export const useHasSidebar = (): boolean =>
  useMediaQuery('(min-width: 75em)', true, { getInitialValueInEffect: false }) ?? true;

interface PlaygroundActionsProps extends ModelChoiceProps {
  readonly onOpen: (dialog: PlaygroundDialog) => void;
}

export function PlaygroundActions({ ids, models, onChoose, onOpen }: PlaygroundActionsProps) {
  const t = useTexts(playgroundTexts);
  const { turns } = useConversation();
  const hasSidebar = useHasSidebar();
  const [first = '', second] = models;
  const toggleComparison = () =>
    onChoose(second === undefined ? [first, ids.find((id) => id !== first) ?? first] : [first]);
  return (
    <>
      <Action
        icon={IconPlus}
        label={t('newConversation')}
        isDisabled={turns.length === 0}
        onClick={() => conversation.clear()}
      />
      <Action icon={IconColumns2} label={t('compare')} isOn={second !== undefined} onClick={toggleComparison} />
      {hasSidebar ? null : (
        <Action icon={IconAdjustmentsHorizontal} label={t('settings')} onClick={() => onOpen('settings')} />
      )}
      <Action icon={IconCode} label={t('viewCode')} onClick={() => onOpen('code')} />
    </>
  );
}

interface ActionProps {
  readonly icon: Icon;
  readonly label: string;
  /** For a button that switches something on and off. */
  readonly isOn?: boolean;
  readonly isDisabled?: boolean;
  readonly onClick: () => void;
}

function Action({ icon: Mark, label, isOn, isDisabled = false, onClick }: ActionProps) {
  return (
    <Button
      variant={isOn ? 'light' : 'default'}
      leftSection={<Mark size={16} aria-hidden />}
      disabled={isDisabled}
      onClick={onClick}
      {...(isOn !== undefined && { 'aria-pressed': isOn })}
    >
      {label}
    </Button>
  );
}
