/** The domains of the organization, each with the DNS record that proves it until it is proven. */
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { CopyField } from '../../../app/components/copy-field.tsx';
import { Status } from '../../../app/components/status.tsx';
import { FormError } from '../../../app/errors/form-error.tsx';
import { useTexts } from '../../../app/i18n/use-texts.ts';
import { type Domain, proveDomain, signInQuery } from '../queries.ts';
import { singleSignOnTexts } from './single-sign-on-texts.ts';

export function DomainList({ domains }: { domains: readonly Domain[] }) {
  const t = useTexts(singleSignOnTexts);
  return (
    <Stack gap="sm">
      <Stack gap={4}>
        <Title order={3} size="h5">
          {t('domains')}
        </Title>
        <Text size="sm" c="dimmed">
          {t(domains.length === 0 ? 'noDomains' : 'provingText')}
        </Text>
      </Stack>
      {domains.length === 0 ? null : (
        <ul className="domain-list" aria-label={t('domains')}>
          {domains.map((each) => (
            <DomainRow key={each.domain} {...each} />
          ))}
        </ul>
      )}
    </Stack>
  );
}

function DomainRow({ domain, record, provenAt }: Domain) {
  const t = useTexts(singleSignOnTexts);
  const queries = useQueryClient();
  const prove = useMutation({
    mutationFn: () => proveDomain(domain),
    onSuccess: (changed) => queries.setQueryData(signInQuery.queryKey, changed),
  });
  const isProven = provenAt !== null;
  return (
    <li>
      <Group justify="space-between" gap="sm">
        <Stack gap={2} flex="1 1 200px" miw={0}>
          <Text fw={500} className="domain-name">
            {domain}
          </Text>
          <Text size="sm" component="div">
            <Status tone={isProven ? 'good' : 'warning'}>{t(isProven ? 'proven' : 'notProven')}</Status>
          </Text>
        </Stack>
        {isProven ? null : (
          <Button
            variant="default"
            aria-label={t('checkDomain', { domain })}
            loading={prove.isPending}
            onClick={() => prove.mutate()}
          >
            {t('check')}
          </Button>
        )}
      </Group>
      {isProven ? null : (
        <Stack gap={4} mt="xs">
          <CopyField label={t('record', { domain })} value={record} />
          <FormError error={prove.error} />
        </Stack>
      )}
    </li>
  );
}
