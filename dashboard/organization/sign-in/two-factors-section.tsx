/** Whether members need a second factor, and how many have none. */
import { Alert, Skeleton, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ApiError } from '../../app/api/api-error.ts';
import { LabelledSwitch } from '../../app/components/fields/labelled-switch.tsx';
import { Loaded } from '../../app/components/loaded.tsx';
import { notifyDone } from '../../app/components/notify.ts';
import { Section } from '../../app/components/section.tsx';
import { Status } from '../../app/components/status.tsx';
import { useErrorText } from '../../app/errors/error-state.tsx';
import { FormError } from '../../app/errors/form-error.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { session } from '../../app/session/session.ts';
import { membersQuery, requireSignIn, type SignIn, signInQuery } from '../queries.ts';
import { signInRuleTexts } from './sign-in-rule-texts.ts';

export function TwoFactorsSection() {
  const t = useTexts(signInRuleTexts);
  const signIn = useQuery(signInQuery);
  return (
    <Section title={t('twoFactors')} description={t('twoFactorsText')}>
      <Loaded query={signIn} skeleton={<Skeleton height={72} />}>
        {({ require }) => <Requirement rule={require} />}
      </Loaded>
    </Section>
  );
}

function Requirement({ rule }: { rule: SignIn['require'] }) {
  const t = useTexts(signInRuleTexts);
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: (isRequired: boolean) => requireSignIn(isRequired ? 'second_factor' : 'none'),
    onSuccess: async (signIn) => {
      queries.setQueryData(signInQuery.queryKey, signIn);
      notifyDone(t(signIn.require === 'none' ? 'notRequired' : 'required'));
      await session.check();
    },
  });
  const { error } = change;
  return (
    <Stack gap="sm">
      <LabelledSwitch
        label={t('requireTwoFactors')}
        description={t('requireHint')}
        checked={change.isPending ? change.variables : rule === 'second_factor'}
        // Single sign-on is the stricter of the two.
        disabled={rule === 'oidc'}
        onChange={({ currentTarget }) => change.mutate(currentTarget.checked)}
      />
      <MembersWithout />
      {isOwnMissing(error) ? <OwnMissing error={error} /> : <FormError error={error} />}
    </Stack>
  );
}

function MembersWithout() {
  const t = useTexts(signInRuleTexts);
  const { data: members } = useQuery(membersQuery);
  if (members === undefined) return null;
  const without = members.filter(({ twoFactor }) => !twoFactor).length;
  return (
    <Text size="sm" component="div">
      <Status tone={without === 0 ? 'good' : 'warning'}>
        {without === 0 ? t('allHave') : t('without', { count: without })}
      </Status>
    </Text>
  );
}

/** Nobody can lock themselves out. */
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
