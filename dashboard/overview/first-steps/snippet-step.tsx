/**
 * A first request to copy, with the real address of the proxy. A key that was just created is in the copy, but on the page
 * only its beginning is shown.
 */
import { Box, Button, Group, SegmentedControl, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { siteQuery } from '../../app/api/shared-queries.ts';
import { copyText } from '../../app/components/copy-field.tsx';
import { Loaded } from '../../app/components/loaded.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { firstModelQuery } from '../queries.ts';
import { firstStepsTexts } from './first-steps-texts.ts';
import { type SnippetLanguage, snippetLanguages, snippetOf } from './snippets.ts';

interface SnippetStepProps {
  /** Undefined if it was created at another time: then only its owner knows it. */
  readonly apiKey: string | undefined;
  readonly onCopy: () => void;
}

const placeholder = 'YOUR_KEY';
/** What the list of keys shows of a key. */
const shownCharacters = 11;

export function SnippetStep(props: SnippetStepProps) {
  const site = useQuery(siteQuery);
  return (
    <Loaded query={site} skeleton={<Skeleton height={220} />}>
      {({ proxyUrl }) => <Snippet {...props} proxyUrl={proxyUrl} />}
    </Loaded>
  );
}

function Snippet({ apiKey, onCopy, proxyUrl }: SnippetStepProps & { proxyUrl: string }) {
  const t = useTexts(firstStepsTexts);
  const [language, setLanguage] = useState<SnippetLanguage>('curl');
  const [outcome, setOutcome] = useState<'copied' | 'refused'>();
  const { data: model = 'MODEL' } = useQuery(firstModelQuery);
  const code = useRef<HTMLPreElement>(null);
  const write = (key: string) => snippetOf(language, { proxyUrl, key, model });
  const shown = apiKey === undefined ? placeholder : `${apiKey.slice(0, shownCharacters)}…`;
  const copy = async () => {
    const isCopied = await copyText(write(apiKey ?? placeholder));
    setOutcome(isCopied ? 'copied' : 'refused');
    if (!isCopied && code.current !== null) getSelection()?.selectAllChildren(code.current);
    onCopy();
  };
  return (
    <>
      <Text size="sm" c="dimmed">
        {t('snippetText', { model })}
      </Text>
      <Group justify="space-between" mt="sm" mb="xs">
        <SegmentedControl
          aria-label={t('language')}
          data={[...snippetLanguages]}
          value={language}
          onChange={(value) => setLanguage(value as SnippetLanguage)}
        />
        <Button variant="default" onClick={() => void copy()}>
          {t(outcome === 'copied' ? 'copied' : 'copy')}
        </Button>
      </Group>
      {/* A long line is scrolled by keyboard. */}
      <Box component="pre" className="snippet" tabIndex={0} ref={code}>
        {write(outcome === 'refused' ? (apiKey ?? placeholder) : shown)}
      </Box>
      <Text size="xs" c="dimmed" mt={6} aria-live="polite">
        {t(outcome === 'refused' ? 'copyByHand' : apiKey === undefined ? 'noKeyText' : 'copiesKey', { placeholder })}
      </Text>
    </>
  );
}
