/** The organization whose pages are shown, at the top of the navigation, and the way to another one. */
import { Button, Popover, Skeleton, Stack, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconCheck, IconPlus, IconSelector } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { type ListedOrganization, organizationsQuery, switchTo } from '../api/shared-queries.ts';
import { Loaded } from '../components/loaded.tsx';
import { notifyFailed } from '../components/notify.ts';
import { useDescribeError } from '../errors/error-state.tsx';
import { roleTexts } from '../i18n/role-texts.ts';
import { useTexts } from '../i18n/use-texts.ts';
import { useOrganization } from '../session/permissions.ts';
import { CreateOrganizationDialog } from './create-organization-dialog.tsx';
import { shellTexts } from './shell-texts.ts';

/** Like the menu of the user, a dialog rather than a menu. */
export function OrganizationMenu() {
  const t = useTexts(shellTexts);
  const organization = useOrganization();
  const nameId = useId();
  const [isOpen, { close, toggle }] = useDisclosure();
  const [isCreating, setCreating] = useState(false);
  if (organization === undefined) return null;
  const { name } = organization;
  const create = () => {
    close();
    setCreating(true);
  };
  return (
    <>
      <Popover opened={isOpen} onDismiss={close} position="bottom-end" width={208} shadow="md" trapFocus>
        <div className="organization-row">
          <Text size="sm" c="dimmed" truncate id={nameId} title={name}>
            {name}
          </Text>
          <Popover.Target>
            {/* As large as the row. The name is beside it, because it is not what the button does. */}
            <UnstyledButton
              className="organization-button"
              aria-label={t('switchOrganization')}
              aria-describedby={nameId}
              onClick={toggle}
            >
              <IconSelector size={14} aria-hidden />
            </UnstyledButton>
          </Popover.Target>
        </div>
        <Popover.Dropdown p={6}>
          <Stack gap={4}>
            <Organizations />
            <Button
              variant="subtle"
              color="gray"
              size="xs"
              justify="flex-start"
              leftSection={<IconPlus size={14} aria-hidden />}
              onClick={create}
            >
              {t('createOrganization')}
            </Button>
          </Stack>
        </Popover.Dropdown>
      </Popover>
      <CreateOrganizationDialog opened={isCreating} onClose={() => setCreating(false)} />
    </>
  );
}

function Organizations() {
  const t = useTexts(shellTexts);
  const describeError = useDescribeError();
  const query = useQuery(organizationsQuery);
  const move = useMutation({ mutationFn: switchTo, onError: (error) => notifyFailed(describeError(error)) });
  return (
    <Loaded query={query} skeleton={<Skeleton height={44} />}>
      {(organizations) => (
        <ul className="organization-list" aria-label={t('organizations')}>
          {organizations.map((each) => (
            <li key={each.id}>
              <Choice organization={each} isBusy={move.isPending} onChoose={() => move.mutate(each.id)} />
            </li>
          ))}
        </ul>
      )}
    </Loaded>
  );
}

interface ChoiceProps {
  readonly organization: ListedOrganization;
  readonly isBusy: boolean;
  readonly onChoose: () => void;
}

function Choice({ organization: { name, role, current }, isBusy, onChoose }: ChoiceProps) {
  const roles = useTexts(roleTexts);
  return (
    <UnstyledButton
      className="organization-choice"
      aria-current={current || undefined}
      disabled={isBusy}
      onClick={current ? undefined : onChoose}
    >
      <span className="organization-name">
        <Text span size="sm" fw={500} truncate title={name}>
          {name}
        </Text>
        <Text span size="xs" c="dimmed">
          {roles(role)}
        </Text>
      </span>
      {current ? <IconCheck size={16} className="organization-mark" aria-hidden /> : null}
    </UnstyledButton>
  );
}
