/** The catalogue: its models and their prices, a new file with what it changes, and what is scheduled. */
import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { useState } from 'react';
import { PageHeader } from '../../app/components/page-header.tsx';
import { useLanguage, useTexts } from '../../app/i18n/use-texts.ts';
import { choiceOf, present } from '../../app/router/search.ts';
import { formatInstant } from '../../app/time/format-time.ts';
import { catalogueTexts } from './catalogue-texts.ts';
import { ChangePanel } from './change/change-panel.tsx';
import { ModelTable } from './models/model-table.tsx';
import { PriceHistoryDialog } from './models/price-history-dialog.tsx';
import { PriceListPanel } from './price-list/price-list-panel.tsx';
import { catalogueQuery, catalogueTabs } from './queries.ts';
import { ScheduledTable } from './scheduled/scheduled-table.tsx';

const pollingMs = 30_000;

export const catalogueRoute = createLazyRoute('/user/operator/operator/catalogue')({ component: CataloguePage });

function CataloguePage() {
  const t = useTexts(catalogueTexts);
  const language = useLanguage();
  const { tab = 'models', search, model } = catalogueRoute.useSearch();
  const navigate = catalogueRoute.useNavigate();
  const query = useQuery({ ...catalogueQuery, refetchInterval: pollingMs });
  // Kept here, so that looking at another tab does not lose it.
  const [draft, setDraft] = useState('');
  const open = (value: string | null) => {
    const next = choiceOf({ value }, 'value', catalogueTabs);
    void navigate({ search: present({ tab: next === 'models' ? undefined : next }) });
  };
  const { data } = query;
  const scheduled = data?.scheduled.length ?? 0;
  return (
    <>
      <PageHeader
        title={t('title')}
        description={
          data
            ? t('inForce', { version: data.version, since: formatInstant(data.createdAt, language) })
            : t('description')
        }
      />
      <Tabs value={tab} onChange={open} keepMounted={false}>
        <Tabs.List mb="md" className="operator-tabs">
          <Tabs.Tab value="models">{t('models')}</Tabs.Tab>
          <Tabs.Tab value="change">{t('change')}</Tabs.Tab>
          <Tabs.Tab value="compare">{t('priceList')}</Tabs.Tab>
          <Tabs.Tab value="scheduled">{scheduled === 0 ? t('scheduled') : `${t('scheduled')} (${scheduled})`}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="models">
          <ModelTable
            search={search ?? ''}
            onSearch={(text) =>
              void navigate({ search: (before) => present({ ...before, search: text || undefined }), replace: true })
            }
            onOpen={(id) => void navigate({ search: present({ search, model: id }) })}
          />
        </Tabs.Panel>
        <Tabs.Panel value="change">
          <ChangePanel
            text={draft}
            onText={setDraft}
            current={data?.catalogue}
            onDone={(done) => {
              setDraft('');
              open(done === 'scheduled' ? 'scheduled' : 'models');
            }}
          />
        </Tabs.Panel>
        <Tabs.Panel value="compare">
          <PriceListPanel
            onTaken={(file) => {
              setDraft(file);
              open('change');
            }}
          />
        </Tabs.Panel>
        <Tabs.Panel value="scheduled">
          <ScheduledTable query={query} />
        </Tabs.Panel>
      </Tabs>
      <PriceHistoryDialog model={model} onClose={() => void navigate({ search: present({ search }) })} />
    </>
  );
}
