/** All accounts: found while one types, in pages. */
import { SegmentedControl } from '@mantine/core';
import { createLazyRoute } from '@tanstack/react-router';
import { SearchField } from '../../app/components/fields/search-field.tsx';
import { PageHeader } from '../../app/components/page-header.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { choiceOf, present } from '../../app/router/search.ts';
import { AccountTable } from './account-table.tsx';
import { accountsTexts } from './accounts-texts.ts';
import { accountStates } from './queries.ts';

export const accountsRoute = createLazyRoute('/user/operator/operator/accounts')({ component: AccountsPage });

function AccountsPage() {
  const t = useTexts(accountsTexts);
  const search = accountsRoute.useSearch();
  const navigate = accountsRoute.useNavigate();
  const find = (text: string) =>
    void navigate({ search: present({ search: text || undefined, state: search.state }), replace: true });
  const filter = (value: string) =>
    void navigate({ search: present({ search: search.search, state: choiceOf({ value }, 'value', accountStates) }) });
  return (
    <>
      <PageHeader title={t('title')} description={t('description')} />
      <div className="filters operator-search">
        <SearchField label={t('search')} placeholder={t('searchHint')} value={search.search ?? ''} onSearch={find} />
        <SegmentedControl
          className="filters-grow"
          aria-label={t('state')}
          value={search.state ?? 'all'}
          onChange={filter}
          data={[
            { value: 'all', label: t('all') },
            { value: 'active', label: t('actives') },
            { value: 'blocked', label: t('blockeds') },
          ]}
        />
      </div>
      <AccountTable search={search} />
    </>
  );
}
