/** The form of the company details: its values, its checks, and how it is saved. */
import { type UseFormReturnType, useForm } from '@mantine/form';
import { useCallbackRef } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../app/api/api.ts';
import { callInDetail, DetailedError } from '../app/api/detailed-call.ts';
import { type Profile, profileQuery } from '../app/api/shared-queries.ts';
import { notifyDone } from '../app/components/notify.ts';
import { useTexts } from '../app/i18n/use-texts.ts';
import type { paths } from '../generated/api.ts';
import { lengthOf, problemOf } from './check-field.ts';
import {
  type AccountType,
  type CompanyField,
  type CompanyValues,
  fieldsOf,
  isCompanyField,
  valuesOf,
} from './company-fields.ts';
import { companyTexts } from './company-texts.ts';
import { useProblemText } from './detail-problems.ts';

/** Values of details that the type does not have stay until the form is left, so that a change of mind costs nothing. */
type Values = CompanyValues & { readonly accountType: AccountType };
export type CompanyFormState = UseFormReturnType<Values>;

export function useCompanyForm(saved: Profile): CompanyFormState {
  const problemText = useProblemText();
  return useForm<Values>({
    initialValues: { ...valuesOf(saved), accountType: saved.accountType },
    validate: (values) => {
      const type = values.accountType;
      return Object.fromEntries(
        fieldsOf(type).map((field) => [field, problemText(problemOf(field, { type, values }))]),
      );
    },
  });
}

/** A number is checked as soon as it has all its characters, or when its field is left. Both functions stay the same. */
export function useDetailChecks(form: CompanyFormState) {
  const problemText = useProblemText();
  const check = useCallbackRef((field: CompanyField) => {
    const values = form.getValues();
    form.setFieldError(field, problemText(problemOf(field, { type: values.accountType, values })));
  });
  const change = useCallbackRef((field: CompanyField, text: string) => {
    const length = lengthOf(field, form.getValues().accountType);
    // Numbers are often copied with spaces.
    const value = length === undefined ? text : text.replace(/\s/g, '');
    const isComplete = length !== undefined && value.length >= length;
    form.setFieldValue(field, value);
    if (isComplete) check(field);
    // They are checked against it.
    if (field === 'bik' && (value === '' || isComplete)) {
      check('checkingAccount');
      check('correspondentAccount');
    }
  });
  return { change, check };
}

/** Puts what the API refuses at its field. */
export function useSaveCompany(form: CompanyFormState, onSaved?: () => void) {
  const t = useTexts(companyTexts);
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (values: Values) => saveDetails(bodyOf(values)),
    onSuccess: ({ dropped: _dropped, ...profile }, sent) => {
      queries.setQueryData(profileQuery.queryKey, profile);
      const saved: Values = { ...valuesOf(profile), accountType: profile.accountType };
      // What was typed in the meantime stays.
      form.setValues((now) => Object.fromEntries(Object.entries(saved).filter(([field]) => isSame(field, now, sent))));
      if (onSaved === undefined) notifyDone(t('saved'));
      else onSaved();
    },
    onError: (error) => {
      if (!(error instanceof DetailedError)) return;
      form.setErrors(Object.fromEntries(error.problems.map(({ param, message }) => [param, message])));
    },
  });
}

const isSame = (field: string, now: Partial<Values>, sent: Values): boolean =>
  field === 'accountType' ? now.accountType === sent.accountType : isCompanyField(field) && now[field] === sent[field];

/** Whether an error is shown at a field, so that it need not be shown again. */
export function isAtField(error: unknown, type: AccountType): boolean {
  const isShown = (param: string) =>
    param === 'accountType' || (isCompanyField(param) && fieldsOf(type).includes(param));
  return error instanceof DetailedError && error.problems.some(({ param }) => isShown(param));
}

type DetailsPath = paths['/api/profile/details']['put'];
type Details = NonNullable<DetailsPath['requestBody']>['content']['application/json'];

/** Throws DetailedError with every field that is wrong. */
const saveDetails = (body: Details) => callInDetail(api.PUT('/api/profile/details', { body }));

/** An empty field clears its detail. */
function bodyOf(values: Values): Details {
  const entries = fieldsOf(values.accountType).map((field) => [field, values[field].trim() || null]);
  return { accountType: values.accountType, ...Object.fromEntries(entries) };
}
