/** The conversation, or how to begin one. */
import { Button, Text } from '@mantine/core';
import { IconMessages } from '@tabler/icons-react';
import { memo } from 'react';
import { EmptyState } from '../app/components/empty-state.tsx';
import { useTexts } from '../app/i18n/use-texts.ts';
import type { Turn } from './conversation/turns.ts';
import { playgroundTexts } from './playground-texts.ts';
import { ResponseView } from './response/response-view.tsx';
import { useStickToBottom } from './use-stick-to-bottom.ts';

interface TurnListProps {
  readonly turns: readonly Turn[];
  readonly proxyUrl: string;
  readonly onSuggest: (message: string) => void;
}

/** Typing a message does not draw it again. */
export const TurnList = memo(function TurnList({ turns, proxyUrl, onSuggest }: TurnListProps) {
  const t = useTexts(playgroundTexts);
  useStickToBottom(turns);
  if (turns.length === 0) return <Beginning onSuggest={onSuggest} />;
  return (
    <section className="turns" aria-label={t('conversation')}>
      {turns.map((turn) => (
        <TurnView key={turn.id} turn={turn} proxyUrl={proxyUrl} />
      ))}
    </section>
  );
});

/** Drawn again only if something in it has changed, so a long conversation streams as fast as a short one. */
const TurnView = memo(function TurnView({ turn, proxyUrl }: { turn: Turn; proxyUrl: string }) {
  const t = useTexts(playgroundTexts);
  return (
    <article className="turn">
      <div className="turn-message">
        <Text size="xs" c="dimmed" mb={2}>
          {t('you')}
        </Text>
        <div className="plain-text">{turn.message}</div>
      </div>
      <div className="playground-columns" data-columns={turn.responses.length}>
        {turn.responses.map((response, column) => (
          <ResponseView
            // The columns never move.
            key={column === 0 ? 'first' : 'second'}
            response={response}
            place={{ turnId: turn.id, column, proxyUrl }}
          />
        ))}
      </div>
    </article>
  );
});

function Beginning({ onSuggest }: { onSuggest: (message: string) => void }) {
  const t = useTexts(playgroundTexts);
  const suggestions = [t('suggestion1'), t('suggestion2'), t('suggestion3')];
  const action = (
    <div className="suggestions">
      {suggestions.map((suggestion) => (
        <Button key={suggestion} variant="default" size="sm" onClick={() => onSuggest(suggestion)}>
          {suggestion}
        </Button>
      ))}
    </div>
  );
  return <EmptyState icon={IconMessages} title={t('emptyTitle')} text={t('emptyText')} action={action} />;
}
