/** The playground: a conversation with a chat model, or with two side by side, paid from the balance. */
import { Button, Skeleton, Stack } from '@mantine/core';
import { IconMessages } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { createLazyRoute, Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { priceListQuery, siteQuery } from '../app/api/shared-queries.ts';
import { EmptyState } from '../app/components/empty-state.tsx';
import { Loaded } from '../app/components/loaded.tsx';
import { PageHeader } from '../app/components/page-header.tsx';
import { useTexts } from '../app/i18n/use-texts.ts';
import { present } from '../app/router/search.ts';
import { Playground } from './playground.tsx';
import { PlaygroundActions, type PlaygroundDialog } from './playground-actions.tsx';
import { playgroundTexts } from './playground-texts.ts';

export const playgroundRoute = createLazyRoute('/user/playground')({ component: PlaygroundPage });

const noIds: readonly string[] = [];

function PlaygroundPage() {
  const t = useTexts(playgroundTexts);
  const prices = useQuery(priceListQuery);
  const site = useQuery(siteQuery);
  const [opened, setOpened] = useState<PlaygroundDialog>();
  const list = prices.data?.models;
  const ids = useMemo(() => list?.filter(({ kind }) => kind === 'chat').map(({ id }) => id) ?? noIds, [list]);
  const { models, choose } = useChosenModels(ids);
  const choice = { ids, models, onChoose: choose };
  return (
    <>
      <PageHeader
        title={t('title')}
        actions={models.length === 0 ? undefined : <PlaygroundActions {...choice} onOpen={setOpened} />}
      />
      <Loaded query={prices} skeleton={<PageSkeleton />}>
        {() => (
          <Loaded query={site} skeleton={<PageSkeleton />}>
            {({ proxyUrl }) =>
              models.length === 0 ? (
                <NoModels />
              ) : (
                <Playground {...choice} proxyUrl={proxyUrl} opened={opened} onClose={() => setOpened(undefined)} />
              )
            }
          </Loaded>
        )}
      </Loaded>
    </>
  );
}

/** The models in the address, as far as they exist. Without one it is the first of all. */
function useChosenModels(ids: readonly string[]) {
  const { model, with: other } = playgroundRoute.useSearch();
  const navigate = playgroundRoute.useNavigate();
  const models = useMemo(() => {
    const first = ids.find((id) => id === model) ?? ids[0];
    return [first, ids.find((id) => id === other)].filter((id) => id !== undefined);
  }, [ids, model, other]);
  const choose = ([first, second]: readonly string[]) =>
    void navigate({ search: present({ model: first, with: second }), replace: true, resetScroll: false });
  return { models, choose };
}

function NoModels() {
  const t = useTexts(playgroundTexts);
  const action = (
    <Button component={Link} to="/models" variant="default">
      {t('toModels')}
    </Button>
  );
  return <EmptyState icon={IconMessages} title={t('noModelsTitle')} text={t('noModelsText')} action={action} />;
}

function PageSkeleton() {
  return (
    <Stack>
      <Skeleton height={58} maw={420} />
      <Skeleton height={280} />
    </Stack>
  );
}
