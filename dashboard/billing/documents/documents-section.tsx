/** Documents for the customer's accounting, whether new ones are mailed, and how to make one now. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { saveSettings, settingsQuery } from '../../alerts/queries.ts';
import { LabelledSwitch } from '../../app/components/fields/labelled-switch.tsx';
import { NotLoaded } from '../../app/components/loaded.tsx';
import { notifyFailed } from '../../app/components/notify.ts';
import { useDescribeError } from '../../app/errors/error-state.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { useMay } from '../../app/session/permissions.ts';
import { DocumentTable } from './document-table.tsx';
import { documentsTexts } from './documents-texts.ts';
import { MakeDocumentDialog } from './make-document-dialog.tsx';
import type { AccountingDocument } from './queries.ts';

interface DocumentsSectionProps {
  readonly offset: number;
  readonly onMade: (document: AccountingDocument) => void;
}

export function DocumentsSection({ offset, onMade }: DocumentsSectionProps) {
  const t = useTexts(documentsTexts);
  const mayManage = useMay('payments:manage');
  const [isMaking, setMaking] = useState(false);
  const make = mayManage ? (
    <Button variant="default" onClick={() => setMaking(true)}>
      {t('make')}
    </Button>
  ) : null;
  const made = (document: AccountingDocument) => {
    setMaking(false);
    onMade(document);
  };
  return (
    <Stack>
      <Group justify="space-between" align="flex-start">
        <Text size="sm" c="dimmed" maw={560} flex="1 1 240px">
          {t('text')}
        </Text>
        {make}
      </Group>
      <DocumentTable offset={offset} />
      {mayManage ? <MailSwitch /> : null}
      <MakeDocumentDialog opened={isMaking} onClose={() => setMaking(false)} onMade={made} />
    </Stack>
  );
}

function MailSwitch() {
  const t = useTexts(documentsTexts);
  const describeError = useDescribeError();
  const queries = useQueryClient();
  const query = useQuery(settingsQuery);
  const { data } = query;
  const save = useMutation({
    mutationFn: (documentEmailsEnabled: boolean) => saveSettings({ documentEmailsEnabled }),
    onSuccess: (settings) => queries.setQueryData(settingsQuery.queryKey, settings),
    onError: (error) => notifyFailed(describeError(error)),
  });
  const shown = save.isPending ? save.variables : data?.documentEmailsEnabled;
  if (data === undefined && query.error !== null) return <NotLoaded query={query} />;
  return (
    <LabelledSwitch
      label={t('emails')}
      description={t('emailsText')}
      checked={shown ?? false}
      disabled={data === undefined}
      onChange={({ currentTarget }) => save.mutate(currentTarget.checked)}
    />
  );
}
