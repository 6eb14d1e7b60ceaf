/** How the user is called, and the address of a picture of them. */
import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type Profile, profileQuery } from '../app/api/shared-queries.ts';
import { notifyDone } from '../app/components/notify.ts';
import { useDescribeError } from '../app/errors/error-state.tsx';
import { FormError, fieldOf } from '../app/errors/form-error.tsx';
import { commonTexts } from '../app/i18n/common-texts.ts';
import { useTexts } from '../app/i18n/use-texts.ts';
import { session } from '../app/session/session.ts';
import { limits } from '../generated/limits.ts';
import { profileTexts } from './profile-texts.ts';
import { changeProfile } from './queries.ts';

const fields = { displayName: 'name', avatarUrl: 'picture' } as const;
const { displayNameMax: nameMaxLength, pictureAddressMax: pictureMaxLength } = limits;

export function NameForm({ saved }: { saved: Profile }) {
  const t = useTexts(profileTexts);
  const common = useTexts(commonTexts);
  const describe = useDescribeError();
  const queries = useQueryClient();
  const form = useForm({
    initialValues: { name: saved.displayName ?? '', picture: saved.avatarUrl ?? '' },
    validate: { picture: (url) => (url.trim() === '' || isHttps(url) ? null : t('pictureWrong')) },
  });
  const save = useMutation({
    mutationFn: ({ name, picture }: { name: string; picture: string }) =>
      changeProfile({ displayName: name.trim() || null, avatarUrl: picture.trim() || null }),
    onSuccess: (profile) => {
      queries.setQueryData(profileQuery.queryKey, profile);
      session.rename(profile);
      notifyDone(common('saved'));
    },
    onError: (error) => {
      const field = fieldOf(error, fields);
      if (field !== undefined)
        form.setFieldError(field, field === 'picture' ? t('pictureWrong') : describe(error).text);
    },
  });
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Stack>
        <TextInput
          label={t('name')}
          autoComplete="name"
          maxLength={nameMaxLength}
          maw={420}
          {...form.getInputProps('name')}
        />
        <TextInput
          label={t('picture')}
          description={t('pictureHint')}
          type="url"
          autoComplete="photo"
          placeholder="https://"
          maxLength={pictureMaxLength}
          {...form.getInputProps('picture')}
        />
        <FormError error={fieldOf(save.error, fields) === undefined ? save.error : null} />
        <Group>
          <Button type="submit" variant="default" loading={save.isPending}>
            {common('save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function isHttps(text: string): boolean {
  const url = URL.parse(text.trim());
  return url?.protocol === 'https:' && url.username === '' && url.password === '';
}
