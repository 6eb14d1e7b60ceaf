/** Whether the organization requires one way to sign in. Nobody can lock themselves out by it. */
import { Alert, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ApiError } from '../../app/api/api-error.ts';
import { LabelledSwitch } from '../../app/components/fields/labelled-switch.tsx';
import { notifyDone } from '../../app/components/notify.ts';
import { useErrorText } from '../../app/errors/error-state.tsx';
import { FormError } from '../../app/errors/form-error.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { session } from '../../app/session/session.ts';
import { requireSignIn, type SignIn, signInQuery } from './queries.ts';
import { signInRuleTexts } from './sign-in-rule-texts.ts';

type Rule = SignIn['require'];

interface RequirementSwitchProps {
  readonly label: string;
  readonly description: string;
  /** What is required at present. */
  readonly rule: Rule;
  /** What the switch requires. Off, nothing is required. */
  readonly requires: Exclude<Rule, 'none'>;
  readonly disabled: boolean;
  /** What is said when it is switched. */
  readonly onText: string;
  readonly offText: string;
  /** Below the switch. */
  readonly children?: ReactNode;
}

export function RequirementSwitch(props: RequirementSwitchProps) {
  const { label, description, rule, requires, disabled, onText, offText, children } = props;
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: (isRequired: boolean) => requireSignIn(isRequired ? requires : 'none'),
    onSuccess: async (signIn) => {
      queries.setQueryData(signInQuery.queryKey, signIn);
      notifyDone(signIn.require === 'none' ? offText : onText);
      await session.check();
    },
  });
  const { error } = change;
  return (
    <Stack gap="sm">
      <LabelledSwitch
        label={label}
        description={description}
        checked={change.isPending ? change.variables : rule === requires}
        disabled={disabled}
        onChange={({ currentTarget }) => change.mutate(currentTarget.checked)}
      />
      {children}
      {isOwnMissing(error) ? <OwnMissing error={error} /> : <FormError error={error} />}
    </Stack>
  );
}

function OwnMissing({ error }: { error: unknown }) {
  const t = useTexts(signInRuleTexts);
  const { text } = useErrorText(error);
  return (
    <Alert color="red" variant="outline" role="alert" className="form-error">
      <Text size="sm">{text}</Text>
      <Link to="/profile" hash="second-factor" className="link">
        {t('setUpOwn')}
      </Link>
    </Alert>
  );
}

const isOwnMissing = (error: unknown) => error instanceof ApiError && error.code === 'second_factor_missing';
