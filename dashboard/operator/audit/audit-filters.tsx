/** Which entries of the audit log are listed. */
import { Button, Select } from '@mantine/core';
import { RangeField } from '../../app/components/fields/range-field.tsx';
import { SearchField } from '../../app/components/fields/search-field.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { choiceOf, rangeOf } from '../../app/router/search.ts';
import { AccountField } from '../account-field.tsx';
import { auditActions, textKeyOf } from './audit-actions.ts';
import { auditTexts } from './audit-texts.ts';
import type { AuditSearch } from './queries.ts';

interface AuditFiltersProps {
  readonly filters: AuditSearch;
  readonly onFilter: (changed: { readonly [Name in keyof AuditSearch]: AuditSearch[Name] | undefined }) => void;
  /** While one types. */
  readonly onActor: (actor: string | undefined) => void;
  /** Without filters, there is nothing to clear. */
  readonly onClear?: () => void;
}

export function AuditFilters({ filters, onFilter, onActor, onClear }: AuditFiltersProps) {
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
        onSearch={(text) => onActor(text || undefined)}
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
      <AccountField label={t('account')} value={accountId} onFind={(wanted) => onFilter({ accountId: wanted })} />
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
