/** Which entries of the audit log are listed. */
import { Button, Select, TextInput } from '@mantine/core';
import { DateField } from '../../app/components/date-field.tsx';
import { SearchField } from '../../app/components/search-field.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
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
  const { actor = '', action, accountId, from, to } = filters;
  const labelOf = (name: string) => {
    const key = textKeyOf(name);
    return key === undefined ? name : t(key);
  };
  return (
    <div className="operator-filters">
      <SearchField
        label={t('actor')}
        placeholder={t('actorHint')}
        value={actor}
        onSearch={(text) => onFilter({ actor: text || undefined })}
      />
      <Select
        aria-label={t('action')}
        placeholder={t('anyAction')}
        data={auditActions.map((value) => ({ value, label: labelOf(value) }))}
        value={action ?? null}
        onChange={(value) => onFilter({ action: choiceOf({ value }, 'value', auditActions) })}
        searchable
        clearable
        className="operator-filter-medium"
      />
      <TextInput
        aria-label={t('account')}
        placeholder={t('accountHint')}
        inputMode="numeric"
        defaultValue={accountId ?? ''}
        key={accountId}
        onBlur={({ currentTarget }) => onFilter({ accountId: idOf({ value: currentTarget.value }, 'value') })}
        onKeyDown={({ key, currentTarget }) => {
          if (key === 'Enter') onFilter({ accountId: idOf({ value: currentTarget.value }, 'value') });
        }}
        className="operator-filter-small"
      />
      <div className="operator-filter-day">
        <DateField
          label={t('from')}
          value={from ?? null}
          onChange={(day) => onFilter({ from: day ?? undefined })}
          {...(to && { maxDate: to })}
        />
      </div>
      <div className="operator-filter-day">
        <DateField
          label={t('to')}
          value={to ?? null}
          onChange={(day) => onFilter({ to: day ?? undefined })}
          {...(from && { minDate: from })}
        />
      </div>
      {onClear === undefined ? null : (
        <Button variant="subtle" onClick={onClear}>
          {t('clear')}
        </Button>
      )}
    </div>
  );
}
