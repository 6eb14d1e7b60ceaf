/** Which model responds, or which two are compared. */
import { Select } from '@mantine/core';
import { memo } from 'react';
import { useTexts } from '../app/i18n/use-texts.ts';
import { playgroundTexts } from './playground-texts.ts';

/** A longer list is slow to open; the rest is found by typing. */
const optionsMax = 100;

export interface ModelChoiceProps {
  /** All chat models. */
  readonly ids: readonly string[];
  /** The chosen one, or the two that are compared. */
  readonly models: readonly string[];
  readonly onChoose: (models: readonly string[]) => void;
}

const selectAll = ({ currentTarget }: { currentTarget: HTMLInputElement }) => currentTarget.select();

/** Typing a message does not draw it again. */
export const ModelChoice = memo(function ModelChoice({ ids, models, onChoose }: ModelChoiceProps) {
  const t = useTexts(playgroundTexts);
  return (
    <div className="playground-columns" data-columns={models.length}>
      {models.map((model, column) => (
        <Select
          key={column === 0 ? 'first' : 'second'}
          label={t(column === 0 ? 'model' : 'secondModel')}
          data={ids}
          value={model}
          onChange={(id) => {
            if (id !== null) onChoose(models.with(column, id));
          }}
          limit={optionsMax}
          searchable
          allowDeselect={false}
          // Typing searches for another model, instead of changing the name of this one.
          onFocus={selectAll}
          onClick={selectAll}
          selectFirstOptionOnChange
          nothingFoundMessage={t('nothingFound')}
          maw={models.length === 1 ? 420 : '100%'}
        />
      ))}
    </div>
  );
});
