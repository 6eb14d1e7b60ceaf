/** Whether members need a second factor, and how many have none. */
import { Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Loaded } from '../../app/components/loaded.tsx';
import { Section } from '../../app/components/section.tsx';
import { Status } from '../../app/components/status.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { membersQuery } from '../queries.ts';
import { signInQuery } from './queries.ts';
import { RequirementSwitch } from './requirement-switch.tsx';
import { signInRuleTexts } from './sign-in-rule-texts.ts';

export function TwoFactorsSection() {
  const t = useTexts(signInRuleTexts);
  const signIn = useQuery(signInQuery);
  return (
    <Section title={t('twoFactors')} description={t('twoFactorsText')}>
      <Loaded query={signIn} skeleton={<Skeleton height={72} />}>
        {({ require: rule }) => (
          <RequirementSwitch
            label={t('requireTwoFactors')}
            description={t('requireHint')}
            rule={rule}
            requires="second_factor"
            // Single sign-on is the stricter of the two.
            disabled={rule === 'oidc'}
            onText={t('required')}
            offText={t('notRequired')}
          >
            <MembersWithout />
          </RequirementSwitch>
        )}
      </Loaded>
    </Section>
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
