/** Adds an endpoint and then shows its secret, or changes its address and its events. */
import { Button, Checkbox, Group, Stack, TextInput } from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../app/components/dialogs/dialog.tsx';
import { notifyDone } from '../app/components/notify.ts';
import { useDescribeError } from '../app/errors/error-state.tsx';
import { FormError, fieldOf } from '../app/errors/form-error.tsx';
import { commonTexts } from '../app/i18n/common-texts.ts';
import { useTexts } from '../app/i18n/use-texts.ts';
import { eventTexts } from './event-texts.ts';
import { eventTypes, textOfEvent } from './events.ts';
import { changeEndpoint, createEndpoint, type Endpoint, type EventType, endpointsQuery } from './queries.ts';
import { SecretDialog } from './secret-dialog.tsx';
import { webhooksTexts } from './webhooks-texts.ts';

interface EndpointDialogProps {
  /** Undefined for a new one. */
  readonly endpoint?: Endpoint;
  readonly opened: boolean;
  readonly onClose: () => void;
}

export function EndpointDialog({ endpoint, opened, onClose }: EndpointDialogProps) {
  const t = useTexts(webhooksTexts);
  const [secret, setSecret] = useState<string>();
  const title = t(endpoint === undefined ? 'addEndpoint' : 'editEndpoint');
  const finish = (created: string | undefined) => {
    setSecret(created);
    onClose();
  };
  return (
    <>
      <Dialog opened={opened} onClose={onClose} title={title} closeOnClickOutside={false}>
        <EndpointForm endpoint={endpoint} onDone={finish} onCancel={onClose} />
      </Dialog>
      <SecretDialog secret={secret} onClose={() => setSecret(undefined)} />
    </>
  );
}

interface EndpointFormProps {
  readonly endpoint: Endpoint | undefined;
  /** With the secret of a new one. */
  readonly onDone: (secret: string | undefined) => void;
  readonly onCancel: () => void;
}

interface EndpointFormValues {
  readonly url: string;
  readonly events: EventType[];
}

const fields = { url: 'url', events: 'events' } as const;

function EndpointForm({ endpoint, onDone, onCancel }: EndpointFormProps) {
  const t = useTexts(webhooksTexts);
  const common = useTexts(commonTexts);
  const { form, save, error } = useEndpointForm({ endpoint, onDone });
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Stack>
        <TextInput
          label={t('url')}
          description={t('urlHint')}
          type="url"
          placeholder="https://example.com/webhooks"
          data-autofocus
          {...form.getInputProps('url')}
        />
        <EventsField form={form} />
        <FormError error={error} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" disabled={save.isPending} onClick={onCancel}>
            {common('cancel')}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {endpoint === undefined ? t('add') : common('save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function EventsField({ form }: { form: UseFormReturnType<EndpointFormValues> }) {
  const t = useTexts(webhooksTexts);
  const nameOf = useTexts(eventTexts);
  const hasAll = eventTypes.every((type) => form.values.events.includes(type));
  return (
    <Stack gap="xs" align="flex-start">
      <Checkbox.Group label={t('events')} {...form.getInputProps('events')}>
        <Stack gap={8} mt={6}>
          {eventTypes.map((type) => (
            <Checkbox key={type} value={type} label={nameOf(textOfEvent[type])} description={type} />
          ))}
        </Stack>
      </Checkbox.Group>
      <Button
        variant="subtle"
        size="compact-sm"
        onClick={() => form.setFieldValue('events', hasAll ? [] : [...eventTypes])}
      >
        {t(hasAll ? 'selectNone' : 'selectAll')}
      </Button>
    </Stack>
  );
}

function useEndpointForm({ endpoint, onDone }: Pick<EndpointFormProps, 'endpoint' | 'onDone'>) {
  const t = useTexts(webhooksTexts);
  const describe = useDescribeError();
  const queries = useQueryClient();
  const form = useForm<EndpointFormValues>({
    initialValues: { url: endpoint?.url ?? '', events: [...(endpoint?.events ?? [])] },
    validate: {
      // Which addresses are allowed is for the API to say.
      url: (url) => (/^https?:\/\/./i.test(url.trim()) ? null : t('urlMissing')),
      events: (events) => (events.length > 0 ? null : t('eventsMissing')),
    },
  });
  const save = useMutation({
    mutationFn: async ({ url, events }: EndpointFormValues): Promise<string | undefined> => {
      const body = { url: url.trim(), events };
      if (endpoint === undefined) return (await createEndpoint(body)).secret;
      await changeEndpoint(endpoint.id, body);
      return undefined;
    },
    onSuccess: async (secret) => {
      onDone(secret);
      notifyDone(t(endpoint === undefined ? 'added' : 'saved'));
      await queries.invalidateQueries(endpointsQuery);
    },
    onError: (error) => {
      const field = fieldOf(error, fields);
      if (field !== undefined) form.setFieldError(field, describe(error).text);
    },
  });
  return { form, save, error: fieldOf(save.error, fields) === undefined ? save.error : null };
}
