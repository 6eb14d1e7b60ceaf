/** A password, with a button that shows its characters. */
import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { useState } from 'react';
import { commonTexts } from '../../i18n/common-texts.ts';
import { useTexts } from '../../i18n/use-texts.ts';

export function PasswordField(props: PasswordInputProps) {
  const common = useTexts(commonTexts);
  const [isVisible, setVisible] = useState(false);
  const label = common(isVisible ? 'hideCharacters' : 'showCharacters');
  return (
    <PasswordInput
      {...props}
      visible={isVisible}
      onVisibilityChange={setVisible}
      visibilityToggleButtonProps={{ 'aria-label': label, 'aria-hidden': false, tabIndex: 0 }}
    />
  );
}
