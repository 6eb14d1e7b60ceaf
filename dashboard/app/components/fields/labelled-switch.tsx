/** A switch whose accessible name is its label alone: Mantine's own label also has the description inside. */
import { Switch, type SwitchProps } from '@mantine/core';

export function LabelledSwitch({ label, ...props }: SwitchProps & { readonly label: string }) {
  return <Switch label={label} aria-label={label} {...props} />;
}
