/** Why a form was not accepted: above its buttons, or at the field that an error of the API is about. */
import { Alert, Text } from '@mantine/core';
import { ApiError } from '../api/api-error.ts';
import { useTexts } from '../i18n/use-texts.ts';
import { ErrorDetail, useErrorText } from './error-state.tsx';
import { errorTexts } from './error-texts.ts';

export function FormError({ error }: { error: unknown }) {
  return error ? <Shown error={error} /> : null;
}

function Shown({ error }: { error: unknown }) {
  const t = useTexts(errorTexts);
  const { text, detail, requestId } = useErrorText(error);
  const isOwnMistake = error instanceof ApiError && error.status >= 400 && error.status < 500;
  return (
    <Alert color="red" variant="outline" role="alert" className="form-error">
      <Text size="sm">{text}</Text>
      <ErrorDetail>{detail}</ErrorDetail>
      {requestId === undefined || isOwnMistake ? null : (
        <Text size="xs" c="dimmed" className="request-id">
          {t('requestId', { id: requestId })}
        </Text>
      )}
    </Alert>
  );
}

/** `fields` maps the API's names to the form's. Undefined if the error is about no field of this form. */
export function fieldOf<Field extends string>(
  error: unknown,
  fields: Readonly<Record<string, Field>>,
): Field | undefined {
  return error instanceof ApiError && error.param !== undefined ? fields[error.param] : undefined;
}
