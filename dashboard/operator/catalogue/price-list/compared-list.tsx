/** What a price list says differently: the differences, of which some are taken over, and what was not compared. */
import { Button, Code, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { FormError } from '../../../app/errors/form-error.tsx';
import { useLanguage, useTexts } from '../../../app/i18n/use-texts.ts';
import { formatCount } from '../../../app/time/format-time.ts';
import { type ListComparison, takeOverPriceList } from '../queries.ts';
import { ListDifferenceTable } from './list-difference-table.tsx';
import { type ListDifference, listDifferences } from './list-differences.ts';
import { priceListTexts } from './price-list-texts.ts';

interface ComparedListProps {
  readonly comparison: ListComparison;
  /** Undefined for the configured one. */
  readonly list: string | undefined;
  readonly onTaken: (file: string) => void;
}

export function ComparedList({ comparison, list, onTaken }: ComparedListProps) {
  const t = useTexts(priceListTexts);
  const language = useLanguage();
  const rows = listDifferences(comparison);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const taking = rows.filter(({ key }) => chosen.has(key));
  const take = useMutation({
    mutationFn: () => takeOverPriceList(list, taking.map(asChange)),
    onSuccess: ({ catalogue }) => onTaken(catalogue),
  });
  const numbers = (count: number) => ({ count, number: formatCount(count, language) });
  const usual = rows.filter(({ isLarge }) => !isLarge).map(({ key }) => key);
  return (
    <Stack gap="lg">
      <Text size="sm">
        {rows.length === 0 ? t('nothingDiffers') : null} {t('unchangedCount', numbers(comparison.unchanged))}
      </Text>
      {rows.length === 0 ? null : (
        <Part title={t('differences', numbers(rows.length))} text={t('differencesText')}>
          <ListDifferenceTable
            rows={rows}
            chosen={chosen}
            onChoose={(key, isChosen) => setChosen(withKey(chosen, key, isChosen))}
          />
          <Group gap="xs" mt="md">
            <Button disabled={taking.length === 0} loading={take.isPending} onClick={() => take.mutate()}>
              {t('takeOver', { count: taking.length })}
            </Button>
            <Button variant="default" onClick={() => setChosen(new Set([...chosen, ...usual]))}>
              {t('selectAll')}
            </Button>
          </Group>
          <FormError error={take.error} />
        </Part>
      )}
      <Left comparison={comparison} />
    </Stack>
  );
}

/** A large difference can only be chosen by confirming it. */
const asChange = ({ model, field, to, isLarge }: ListDifference) => ({
  model,
  field,
  to,
  ...(isLarge && { confirmed: true }),
});

function withKey(keys: ReadonlySet<string>, key: string, isChosen: boolean): ReadonlySet<string> {
  const next = new Set(keys);
  if (isChosen) next.add(key);
  else next.delete(key);
  return next;
}

/** What cannot be taken over. */
function Left({ comparison: { added, ambiguous, unlisted, unreadable } }: Pick<ComparedListProps, 'comparison'>) {
  const t = useTexts(priceListTexts);
  const language = useLanguage();
  const numbers = (count: number) => ({ count, number: formatCount(count, language) });
  return (
    <>
      <Names title={t('added', numbers(added.length))} text={t('addedText')} names={added} />
      <Names
        title={t('ambiguous', numbers(ambiguous.length))}
        text={t('ambiguousText')}
        names={ambiguous.map(({ model, entries }) => `${model}: ${entries.join(', ')}`)}
      />
      <Names title={t('unlisted', numbers(unlisted.length))} names={unlisted} />
      <Names
        title={t('unreadable', numbers(unreadable.length))}
        names={unreadable.map(({ entry, reason }) => `${entry}: ${reason}`)}
      />
    </>
  );
}

const namesMax = 100;

function Names({ title, text, names }: { title: string; text?: string; names: readonly string[] }) {
  const t = useTexts(priceListTexts);
  const language = useLanguage();
  if (names.length === 0) return null;
  const more = names.length - namesMax;
  return (
    <Part title={title} text={text}>
      <Group gap="xs">
        {names.slice(0, namesMax).map((name) => (
          <Code key={name} className="operator-wrap">
            {name}
          </Code>
        ))}
        {more > 0 ? <Text size="sm">{t('more', { number: formatCount(more, language) })}</Text> : null}
      </Group>
    </Part>
  );
}

function Part({ title, text, children }: { title: string; text?: string | undefined; children: ReactNode }) {
  return (
    <section>
      <Title order={2} size="h5" mb={4}>
        {title}
      </Title>
      {text === undefined ? null : (
        <Text size="sm" c="dimmed" mb="xs">
          {text}
        </Text>
      )}
      {children}
    </section>
  );
}
