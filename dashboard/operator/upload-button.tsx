/** Asks for a file. The same file can be chosen again, which is what people do after they have corrected it. */
import { Button, type ButtonProps, FileButton } from '@mantine/core';
import { useRef } from 'react';

interface UploadButtonProps extends Pick<ButtonProps, 'variant' | 'leftSection' | 'loading'> {
  readonly label: string;
  /** Endings and media types, as in HTML. */
  readonly accept: string;
  readonly onFile: (file: File) => void;
}

export function UploadButton({ label, accept, onFile, ...button }: UploadButtonProps) {
  // A browser reports no change if a field gets the file that it has already.
  const clear = useRef<() => void>(null);
  const choose = (file: File | null) => {
    if (file === null) return;
    clear.current?.();
    onFile(file);
  };
  return (
    <FileButton onChange={choose} accept={accept} resetRef={clear} inputProps={{ 'aria-label': label }}>
      {(props) => (
        <Button {...button} {...props}>
          {label}
        </Button>
      )}
    </FileButton>
  );
}
