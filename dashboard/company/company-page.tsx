/** Whom accounting documents are issued to. */
import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { profileQuery } from '../app/api/shared-queries.ts';
import { Loaded } from '../app/components/loaded.tsx';
import { PageHeader } from '../app/components/page-header.tsx';
import { useTexts } from '../app/i18n/use-texts.ts';
import { CompanyForm } from './company-form.tsx';
import { companyTexts } from './company-texts.ts';

export const companyRoute = createLazyRoute('/user/company')({ component: CompanyPage });

function CompanyPage() {
  const t = useTexts(companyTexts);
  const profile = useQuery(profileQuery);
  return (
    <>
      <PageHeader title={t('title')} description={t('description')} />
      <div className="company">
        <Loaded query={profile} skeleton={<Skeleton height={200} radius={12} />}>
          {(saved) => <CompanyForm key={saved.id} saved={saved} />}
        </Loaded>
      </div>
    </>
  );
}
