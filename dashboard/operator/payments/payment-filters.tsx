/** Which payments are listed: by status, method and account. All of it is in the address. */
import { Select } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { paymentMethods } from '../../../shared/payment-methods.ts';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { choiceOf, present } from '../../app/router/search.ts';
import { paymentTexts } from '../../billing/payments/payment-texts.ts';
import { methodName } from '../../billing/payments/payment-words.tsx';
import { paymentStatuses } from '../../billing/queries.ts';
import { AccountField } from '../account-field.tsx';
import { paymentsTexts } from './payments-texts.ts';

const route = getRouteApi('/user/operator/operator/payments');

export function PaymentFilters() {
  const t = useTexts(paymentsTexts);
  const words = useTexts(paymentTexts);
  const search = route.useSearch();
  const { status, method, accountId } = search;
  const navigate = route.useNavigate();
  const change = (changed: object) =>
    void navigate({ search: present({ ...search, cursor: undefined, ...changed }), resetScroll: false });
  const known: readonly string[] = paymentMethods.map(({ id }) => id);
  const methods = method === undefined || known.includes(method) ? known : [...known, method];
  return (
    <div className="filters">
      <Select
        label={words('status')}
        data={[
          { value: '', label: t('anyStatus') },
          ...paymentStatuses.map((value) => ({ value, label: words(value) })),
        ]}
        value={status ?? ''}
        onChange={(value) => change({ status: choiceOf({ value }, 'value', paymentStatuses) })}
        allowDeselect={false}
      />
      <Select
        label={words('method')}
        data={[
          { value: '', label: t('anyMethod') },
          ...methods.map((value) => ({ value, label: methodName(value, words) })),
        ]}
        value={method ?? ''}
        onChange={(value) => change({ method: value || undefined })}
        allowDeselect={false}
      />
      <AccountField label={t('account')} value={accountId} onFind={(wanted) => change({ accountId: wanted })} />
    </div>
  );
}
