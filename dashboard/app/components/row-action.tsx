/** A button in the last column of a table: an icon with its name on hover. */
import { ActionIcon, Tooltip } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';

interface RowActionProps {
  readonly label: string;
  readonly icon: Icon;
  readonly isBusy?: boolean;
  readonly onClick: () => void;
}

export function RowAction({ label, icon: Mark, isBusy = false, onClick }: RowActionProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="gray" size="lg" aria-label={label} loading={isBusy} onClick={onClick}>
        <Mark size={18} stroke={1.6} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}
