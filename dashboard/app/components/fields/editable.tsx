/** The fields of a form: without the permission to change them they show their values, and there is no button. */
import { Fieldset, type MantineSpacing, Stack } from '@mantine/core';
import type { ReactNode } from 'react';

interface EditableProps {
  readonly mayEdit: boolean;
  /** The button that saves, and what belongs to it. */
  readonly actions: ReactNode;
  readonly gap?: MantineSpacing;
  readonly children: ReactNode;
}

export function Editable({ mayEdit, actions, gap = 'md', children }: EditableProps) {
  return (
    <Fieldset variant="unstyled" className="editable" disabled={!mayEdit}>
      <Stack gap={gap}>
        {children}
        {mayEdit ? actions : null}
      </Stack>
    </Fieldset>
  );
}
