/** The mails of the gateway: those that failed, and how to send them again. */
import { SegmentedControl } from '@mantine/core';
import { createLazyRoute } from '@tanstack/react-router';
import { PageHeader } from '../../app/components/page-header.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { choiceOf, present } from '../../app/router/search.ts';
import { MailTable } from './mail-table.tsx';
import { mailsTexts } from './mails-texts.ts';
import { mailFilters } from './queries.ts';

export const mailsRoute = createLazyRoute('/user/operator/operator/mails')({ component: MailsPage });

function MailsPage() {
  const t = useTexts(mailsTexts);
  const search = mailsRoute.useSearch();
  const navigate = mailsRoute.useNavigate();
  const filter = (value: string) => {
    const state = choiceOf({ value }, 'value', mailFilters);
    void navigate({ search: present({ state: state === 'failed' ? undefined : state }) });
  };
  return (
    <>
      <PageHeader title={t('title')} description={t('description')} />
      <div className="filters">
        <SegmentedControl
          className="filters-grow"
          aria-label={t('state')}
          value={search.state ?? 'failed'}
          onChange={filter}
          data={mailFilters.map((value) => ({ value, label: t(value) }))}
        />
      </div>
      <MailTable search={search} />
    </>
  );
}
