/** Which entries of the audit log are listed. */
import { Button, Select, TextInput } from '@mantine/core';
import { RangeField } from '../../app/components/fields/range-field.tsx';
import { SearchField } from '../../app/components/fields/search-field.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { rangeOf } from '../../app/router/range-search.ts';
import { choiceOf, idOf } from '../../app/router/search.ts';
import { auditActions, textKeyOf } from './audit-actions.ts';
import { auditTexts } from './audit-texts.ts';
import type { AuditSearch } from './queries.ts';

interface AuditFiltersProps {
  readonly filters: AuditSearch;
  readonly onFilter: (changed: { readonly [Name in keyof AuditSearch]: AuditSearch[Name] | undefined }) => void;
  /** Without filters, there is nothing to clear. */
  readonly onClear?: () => void;
}

export function AuditFilters({ filters, onFilter, onClear }: AuditFiltersProps) {
  const t = useTexts(auditTexts);
  const { actor = '', action, accountId } = filters;
  const labelOf = (name: string) => {
    const key = textKeyOf(name);
    return key === undefined ? name : t(key);
  };
  return (
    <div className="filters">
      <SearchField
        label={t('actor')}
        isLabelVisible
        placeholder={t('actorHint')}
        value={actor}
        onSearch={(text) => onFilter({ actor: text || undefined })}
      />
      <Select
        label={t('action')}
        placeholder={t('anyAction')}
        data={auditActions.map((value) => ({ value, label: labelOf(value) }))}
        value={action ?? null}
        onChange={(value) => onFilter({ action: choiceOf({ value }, 'value', auditActions) })}
        searchable
        clearable
      />
      <TextInput
        label={t('account')}
        inputMode="numeric"
        defaultValue={accountId ?? ''}
        key={accountId}
        onBlur={({ currentTarget }) => onFilter({ accountId: idOf({ value: currentTarget.value }, 'value') })}
        onKeyDown={({ key, currentTarget }) => {
          if (key === 'Enter') onFilter({ accountId: idOf({ value: currentTarget.value }, 'value') });
        }}
      />
      <RangeField
        value={rangeOf(filters)}
        onChange={(days) => onFilter({ from: days?.from, to: days?.to })}
        placeholder={t('allTime')}
      />
      {onClear === undefined ? null : (
        <Button variant="subtle" onClick={onClear} className="filters-grow">
          {t('clear')}
        </Button>
      )}
    </div>
  );
}
