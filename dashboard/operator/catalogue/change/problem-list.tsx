/** The mistakes in a file. Each leads to its line. */
import { Alert, Button, Text } from '@mantine/core';
import { useTexts } from '../../../app/i18n/use-texts.ts';
import { catalogueTexts } from '../catalogue-texts.ts';
import type { Preview } from '../queries.ts';

interface ProblemListProps {
  readonly problems: Preview['problems'];
  /** Without it, the lines are only named. */
  readonly onOpen?: (line: number) => void;
}

export function ProblemList({ problems, onOpen }: ProblemListProps) {
  const t = useTexts(catalogueTexts);
  return (
    <Alert color="red" variant="outline" role="alert" className="operator-problems">
      <Text size="sm" fw={600} mb="xs">
        {t('problems', { count: problems.length })}
      </Text>
      <ul className="operator-problem-list">
        {problems.map(({ line, message }) => (
          <li key={`${line} ${message}`}>
            {line === null ? null : onOpen === undefined ? (
              <Text span size="sm" fw={500} className="amount">
                {t('line', { line })}
              </Text>
            ) : (
              <Button variant="default" size="compact-xs" onClick={() => onOpen(line)}>
                {t('line', { line })}
              </Button>
            )}
            <Text span size="sm">
              {message}
            </Text>
          </li>
        ))}
      </ul>
    </Alert>
  );
}
