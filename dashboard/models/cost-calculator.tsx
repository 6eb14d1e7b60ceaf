/** The size and number of the requests that the list's costs are for. */
import { NumberInput, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useId, useRef, useState } from 'react';
import { customsOf } from '../../shared/languages.ts';
import { useLanguage, useTexts } from '../app/i18n/use-texts.ts';
import type { Workload } from './model.ts';
import { modelsTexts } from './models-texts.ts';
import { type WorkloadParameters, workloadFields, workloadNames } from './workload.ts';

const debounceMs = 200;

interface CostCalculatorProps {
  readonly workload: Workload;
  readonly onChange: (parameters: Partial<WorkloadParameters>) => void;
}

export function CostCalculator({ workload, onChange }: CostCalculatorProps) {
  const t = useTexts(modelsTexts);
  const id = useId();
  return (
    <section className="panel calculator" aria-labelledby={id}>
      <Stack gap={2} mb="sm">
        <Title order={2} id={id}>
          {t('calculator')}
        </Title>
        <Text size="sm" c="dimmed">
          {t('calculatorHint')}
        </Text>
      </Stack>
      <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
        {workloadNames.map((name) => (
          <WorkloadInput key={name} name={name} value={workload[name]} onChange={onChange} />
        ))}
      </SimpleGrid>
    </section>
  );
}

interface WorkloadInputProps {
  readonly name: keyof Workload;
  readonly value: number;
  readonly onChange: CostCalculatorProps['onChange'];
}

function WorkloadInput({ name, value, onChange }: WorkloadInputProps) {
  const t = useTexts(modelsTexts);
  const separator = customsOf[useLanguage()].thousandSeparator;
  const { parameter, initial, max } = workloadFields[name];
  const [shown, setShown] = useState<number | string>(value);
  const sent = useRef(value);
  const sendLater = useDebouncedCallback((next: number) => {
    sent.current = next;
    onChange({ [parameter]: next === initial ? undefined : next });
  }, debounceMs);
  // The address changed without this field, such as with “back”.
  useEffect(() => {
    if (value === sent.current) return;
    sent.current = value;
    setShown(value);
  }, [value]);
  return (
    <NumberInput
      label={t(name)}
      value={shown}
      onChange={(next) => {
        setShown(next);
        if (next !== '') sendLater(Number(next));
      }}
      onBlur={() => {
        if (shown === '') setShown(value);
      }}
      min={0}
      max={max}
      allowDecimal={false}
      allowNegative={false}
      thousandSeparator={separator}
      clampBehavior="strict"
      hideControls
      inputMode="numeric"
    />
  );
}
