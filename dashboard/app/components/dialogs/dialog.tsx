/** A dialog. While it is open, nothing behind it can be reached, by keyboard or by a screen reader. */
import { Modal, type ModalProps } from '@mantine/core';
import { useDeferredValue, useEffect } from 'react';
import { commonTexts } from '../../i18n/common-texts.ts';
import { useTexts } from '../../i18n/use-texts.ts';

type DialogProps = Pick<ModalProps, 'opened' | 'onClose' | 'children' | 'size' | 'closeOnClickOutside'> & {
  readonly title: string;
  /** False for a dialog that is left by one of its buttons only. */
  readonly canClose?: boolean;
};

export function Dialog({ canClose = true, ...props }: DialogProps) {
  const common = useTexts(commonTexts);
  // The button that opens it is painted as pressed first.
  const opened = useDeferredValue(props.opened);
  useInertBackground(opened);
  return (
    <Modal
      centered
      closeButtonProps={{ 'aria-label': common('close') }}
      // Until it is labelled by its title, which is after it has received the focus.
      attributes={{ content: { 'aria-label': props.title } }}
      withCloseButton={canClose}
      closeOnEscape={canClose}
      {...props}
      opened={opened}
      closeOnClickOutside={canClose && (props.closeOnClickOutside ?? true)}
    />
  );
}

let openDialogs = 0;

/** For other layers above the page. */
export function useInertBackground(isOpen: boolean): void {
  useEffect(() => {
    const background = document.getElementById('root');
    if (!isOpen || background === null) return;
    const update = (change: 1 | -1) => {
      openDialogs += change;
      background.inert = openDialogs > 0;
      // For screen readers that do not know `inert`.
      background.ariaHidden = openDialogs > 0 ? 'true' : null;
    };
    update(1);
    return () => update(-1);
  }, [isOpen]);
}
