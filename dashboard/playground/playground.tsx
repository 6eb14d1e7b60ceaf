/** The conversation with its settings, and the dialogs of its buttons. */
import { VisuallyHidden } from '@mantine/core';
import { useState } from 'react';
import { Dialog } from '../app/components/dialogs/dialog.tsx';
import { DrawnLater } from '../app/components/section.tsx';
import { useTexts } from '../app/i18n/use-texts.ts';
import { CodeDialog } from './code/code-dialog.tsx';
import { Composer } from './composer.tsx';
import { conversation, useConversation } from './conversation/conversation.ts';
import { isRunning } from './conversation/turns.ts';
import { ModelChoice, type ModelChoiceProps } from './model-choice.tsx';
import { type PlaygroundDialog, useHasSidebar } from './playground-actions.tsx';
import { playgroundTexts } from './playground-texts.ts';
import { SettingsFields } from './settings-fields.tsx';
import { Spending } from './spending.tsx';
import { TurnList } from './turn-list.tsx';

interface PlaygroundProps extends ModelChoiceProps {
  readonly proxyUrl: string;
  readonly opened: PlaygroundDialog;
  readonly onClose: () => void;
}

export function Playground({ opened, onClose, proxyUrl, ...choice }: PlaygroundProps) {
  const t = useTexts(playgroundTexts);
  const { turns, settings, key } = useConversation();
  const [draft, setDraft] = useState('');
  const hasSidebar = useHasSidebar();
  const running = isRunning(turns);
  const { models } = choice;
  const send = () => {
    if (draft.trim() === '' || running) return;
    conversation.send(draft, { models, proxyUrl });
    setDraft('');
  };
  const fields = (
    <>
      <SettingsFields settings={settings} />
      <Spending turns={turns} playgroundKey={key} />
    </>
  );
  const status = running ? t('generating') : turns.length === 0 ? '' : t('complete');
  return (
    <>
      <div className="playground">
        <div className="playground-main">
          <ModelChoice {...choice} />
          <TurnList turns={turns} proxyUrl={proxyUrl} onSuggest={setDraft} />
          <Composer
            draft={draft}
            onDraft={setDraft}
            isRunning={running}
            onSend={send}
            onStop={() => conversation.stop()}
          />
          <VisuallyHidden role="status">{status}</VisuallyHidden>
        </div>
        {hasSidebar ? (
          <aside className="panel playground-settings" aria-label={t('settings')}>
            <DrawnLater>{fields}</DrawnLater>
          </aside>
        ) : null}
      </div>
      <Dialog opened={opened === 'settings' && !hasSidebar} onClose={onClose} title={t('settings')}>
        {fields}
      </Dialog>
      <CodeDialog
        opened={opened === 'code'}
        onClose={onClose}
        models={models}
        settings={settings}
        turns={turns}
        draft={draft}
        proxyUrl={proxyUrl}
      />
    </>
  );
}
