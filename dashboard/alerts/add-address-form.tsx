/** Adds an address, which is mailed a link first. */
import { Button, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError } from '../app/api/api-error.ts';
import { notifyDone } from '../app/components/notify.ts';
import { useDescribeError } from '../app/errors/error-state.tsx';
import { FormError } from '../app/errors/form-error.tsx';
import { useTexts } from '../app/i18n/use-texts.ts';
import { alertsTexts } from './alerts-texts.ts';
import { addAddress, addressesQuery } from './queries.ts';

export function AddAddressForm() {
  const t = useTexts(alertsTexts);
  const queries = useQueryClient();
  const describe = useDescribeError();
  const form = useForm({
    initialValues: { email: '' },
    validate: { email: (email) => (email.trim() === '' ? t('addressMissing') : null) },
  });
  const add = useMutation({
    mutationFn: addAddress,
    onSuccess: async ({ email }) => {
      await queries.invalidateQueries(addressesQuery);
      form.reset();
      notifyDone(t('linkSent', { email }));
    },
    onError: (error) => {
      if (isAboutAddress(error)) form.setFieldError('email', describe(error).text);
    },
  });
  return (
    <form onSubmit={form.onSubmit(({ email }) => add.mutate(email.trim()))} noValidate className="alert-address-form">
      <TextInput
        label={t('newAddress')}
        type="email"
        autoComplete="off"
        autoCapitalize="none"
        placeholder="accounting@example.com"
        className="alert-address-field"
        {...form.getInputProps('email')}
      />
      <Button type="submit" variant="default" loading={add.isPending} className="alert-address-add">
        {t('addAddress')}
      </Button>
      <div className="alert-address-error">
        <FormError error={isAboutAddress(add.error) ? null : add.error} />
      </div>
    </form>
  );
}

/** Errors that belong to the field of the address. */
const addressCodes = ['address_exists', 'too_many_addresses', 'email_not_verified', 'invalid_parameter'];

const isAboutAddress = (error: unknown): boolean => error instanceof ApiError && addressCodes.includes(error.code);
