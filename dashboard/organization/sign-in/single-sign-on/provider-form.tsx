/** The identity provider and the domains of the addresses that it vouches for. The secret is never shown. */
import { Button, Group, Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError } from '../../../app/api/api-error.ts';
import { PasswordField } from '../../../app/components/fields/password-field.tsx';
import { notifyDone } from '../../../app/components/notify.ts';
import { useDescribeError } from '../../../app/errors/error-state.tsx';
import { FormError, fieldOf } from '../../../app/errors/form-error.tsx';
import { commonTexts } from '../../../app/i18n/common-texts.ts';
import { useTexts } from '../../../app/i18n/use-texts.ts';
import { changeProvider, type ProviderChange, type SignIn, signInQuery } from '../queries.ts';
import { singleSignOnTexts } from './single-sign-on-texts.ts';

const fields = { issuer: 'issuer', clientId: 'clientId', clientSecret: 'clientSecret', domains: 'domains' } as const;

export function ProviderForm({ saved }: { saved: SignIn }) {
  const t = useTexts(singleSignOnTexts);
  const common = useTexts(commonTexts);
  const queries = useQueryClient();
  const describe = useDescribeError();
  const { oidc } = saved;
  const isNew = oidc === null;
  const form = useForm({
    initialValues: valuesOf(saved),
    validate: {
      issuer: (issuer) => (issuer.trim() === '' ? t('issuerMissing') : null),
      clientId: (clientId) => (clientId.trim() === '' ? t('clientIdMissing') : null),
      // The gateway keeps a secret only for whom it was entered for.
      clientSecret: (secret, { issuer, clientId }) => {
        const isSame = oidc?.issuer === issuer.trim() && oidc.clientId === clientId.trim();
        return secret === '' && !isSame ? t('clientSecretMissing') : null;
      },
    },
  });
  const save = useMutation({
    mutationFn: (values: Values) => changeProvider(changeOf(values)),
    onSuccess: (changed) => {
      queries.setQueryData(signInQuery.queryKey, changed);
      form.setValues(valuesOf(changed));
      notifyDone(common('saved'));
    },
    onError: (error) => {
      const field = problemFieldOf(error);
      if (field !== undefined) form.setFieldError(field, describe(error).text);
    },
  });
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Stack>
        <TextInput
          label={t('issuer')}
          type="url"
          placeholder="https://login.example.com"
          autoComplete="off"
          maw={420}
          {...form.getInputProps('issuer')}
        />
        <TextInput
          label={t('clientId')}
          autoComplete="off"
          spellCheck={false}
          maw={420}
          {...form.getInputProps('clientId')}
        />
        <PasswordField
          label={t('clientSecret')}
          placeholder={isNew ? undefined : t('clientSecretKept')}
          // Browsers would fill in the user's own password.
          autoComplete="new-password"
          maw={420}
          {...form.getInputProps('clientSecret')}
        />
        <Textarea
          label={t('domains')}
          description={t('domainsHint')}
          placeholder="example.com"
          autosize
          minRows={2}
          maxRows={10}
          spellCheck={false}
          autoComplete="off"
          classNames={{ input: 'mono' }}
          maw={420}
          {...form.getInputProps('domains')}
        />
        <FormError error={problemFieldOf(save.error) === undefined ? save.error : null} />
        <Group>
          <Button type="submit" loading={save.isPending}>
            {common('save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

type Values = ReturnType<typeof valuesOf>;

const valuesOf = ({ oidc, domains }: SignIn) => ({
  issuer: oidc?.issuer ?? '',
  clientId: oidc?.clientId ?? '',
  clientSecret: '',
  domains: domains.map(({ domain }) => domain).join('\n'),
});

function changeOf({ issuer, clientId, clientSecret, domains }: Values): ProviderChange {
  return {
    issuer: issuer.trim(),
    clientId: clientId.trim(),
    ...(clientSecret !== '' && { clientSecret }),
    domains: domains.split(/[\s,;]+/).filter((domain) => domain !== ''),
  };
}

/** A provider that cannot be reached is more than a wrong value: the reason is shown with it. */
function problemFieldOf(error: unknown): keyof Values | undefined {
  if (!(error instanceof ApiError) || error.code === 'identity_provider_unavailable') return undefined;
  return error.param?.startsWith('domains[') ? 'domains' : fieldOf(error, fields);
}
